// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "adaptive_vs_fixed/accuracy_search.hpp"
#include "adaptive_vs_fixed/step_limits.hpp"
#include "parts/gnuplot.hpp"

/// The comparison of `adaptive-vs-fixed`, and its text, JSON, CSV and picture.
namespace sunlagrange::program {

/// One formulation with one integrator at a target: the cheapest run that reaches it and its cost, if there is one.
struct Contestant {
  std::string formulation;
  std::string integrator;
  bool fixed_step = false;
  bool reached = false;
  RunRecord record;  ///< set if reached; its trajectory has every step
  /// Returns the right-hand sides or residuals of the run.
  double evaluations() const { return static_cast<double>(record.simulation.report.rhs_evaluations); }

  double smallest_step = 0.0;  ///< [s]; first and last step included
  double median_step = 0.0;
  double largest_step = 0.0;
  double cpu_seconds = Report::none;   ///< median of repetitions, which alternate with those of the other contestants
  double wall_seconds = Report::none;  ///< least of the same repetitions
  double time_ratio = Report::none;    ///< CPU time over that of Heat::time_unit
  double median_over_certified = Report::none;  ///< median step over Section::yardstick
};

/// All contestants at one target.
struct Heat {
  Measure measure = Measure::error;
  double target = 0.0;
  std::vector<Contestant> contestants;
  std::string time_unit;  ///< name of the contestant whose time is 1; empty if none reached the target
};

/// The comparison for one choice of gains.
struct Section {
  double gain_factor = 1.0;          ///< K_D and K_N are multiplied by it, K_P by its square
  std::string gains;                 ///< the gains of baumgarte
  double certified_violation = 0.0;  ///< eps of the certificates
  double violation_bound = 0.0;      ///< of runs that keep their constraints, relative to the size of the mechanism
  std::vector<StepLimit> limits;
  std::vector<Heat> heats;      ///< errors, then violations, in the order of the options
  std::size_t middle_heat = 0;  ///< the heat of the picture and of the conclusions

  /// Returns the limit of a formulation and an integrator; its values are NaN if there is none.
  StepLimit limit(const std::string& formulation, const std::string& integrator) const;

  /// Returns the largest certified step of rk4 with this formulation, or with baumgarte if the formulation has none.
  double yardstick(const std::string& formulation) const;
};

struct Comparison {
  std::string mechanism;
  std::string description;
  std::string reference_source;
  double largest_error = 0.0;  ///< at equal violation, see SearchLimits
  std::vector<Section> sections;
};

/// Returns the conclusions from the numbers, a sentence each.
std::vector<std::string> conclusions(const Section& section);

void print(const Comparison& comparison, std::size_t width);
std::string document(const Comparison& comparison);  ///< document of --json
std::string csv(const Comparison& comparison);

/// Draws the step sizes of the cheapest adaptive runs, with baumgarte and with IDA, and the limits of the fixed steps.
void draw(const Comparison& comparison, const Pictures& pictures);

}  // namespace sunlagrange::program
