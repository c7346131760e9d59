#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "adaptive_vs_fixed/accuracy_search.hpp"
#include "adaptive_vs_fixed/step_limits.hpp"
#include "parts/gnuplot.hpp"

/// The comparison of `adaptive-vs-fixed` and its forms on paper.
namespace sunlagrange::program {

/// A run that reaches a target, with what it costs; or the news that none does.
struct Contestant {
  std::string formulation;
  std::string integrator;
  bool fixed_step = false;
  bool reached = false;
  RunRecord record;            ///< if reached; trajectory: every step
  double smallest_step = 0.0;  ///< [s]; the first and the last step count
  double median_step = 0.0;
  double largest_step = 0.0;
  double cpu_seconds = Report::none;            ///< median of several, taken in turn with the others of its heat
  double wall_seconds = Report::none;           ///< the least of the same runs
  double time_ratio = Report::none;             ///< to the reference contestant of the heat
  double median_over_certified = Report::none;  ///< median step over Section::yardstick
};

/// All contestants at one target.
struct Heat {
  Measure measure = Measure::error;
  double target = 0.0;
  std::vector<Contestant> contestants;
  std::string time_unit;  ///< the contestant whose time is 1; empty: none reached the target
};

/// One choice of gains.
struct Section {
  double gain_factor = 1.0;          ///< of the rates: K_D and K_N times this, K_P times its square
  std::string gains;                 ///< as baumgarte uses them
  double certified_violation = 0.0;  ///< eps of the certificates
  std::vector<StepLimit> limits;
  std::vector<Heat> heats;      ///< errors, then violations, in the order asked for
  std::size_t middle_heat = 0;  ///< the one that is drawn and spoken about

  /// NaN if there is none.
  StepLimit limit(const std::string& formulation, const std::string& integrator) const;

  /// Largest certified step of rk4; of baumgarte, whose law it is, where the formulation has none of its own.
  double yardstick(const std::string& formulation) const;
};

struct Comparison {
  std::string mechanism;
  std::string description;
  std::string reference_source;
  double largest_error = 0.0;  ///< at equal violation, see SearchLimits
  std::vector<Section> sections;
};

/// In words computed from the numbers, a sentence each.
std::vector<std::string> conclusions(const Section& section);

void print(const Comparison& comparison, std::size_t width);
std::string document(const Comparison& comparison);  ///< what --json prints
std::string csv(const Comparison& comparison);

/// Step histories of the cheapest adaptive runs, with baumgarte and with IDA, over the limits of the fixed steps.
void draw(const Comparison& comparison, const Pictures& pictures);

}  // namespace sunlagrange::program
