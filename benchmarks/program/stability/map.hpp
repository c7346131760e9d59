// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/base/figures.hpp>

#include "parts/gnuplot.hpp"
#include "shared/problem.hpp"

/// The map of the command `stability`, and its text, JSON, CSV and picture.
namespace sunlagrange::program {

/// One point of the map. Boundaries are gain x step; NaN: none was found, or it was not requested.
struct MapPoint {
  std::string integrator;
  double step = 0.0;
  int run_steps = 0;
  double rule = Report::none, motion = Report::none, predicted = Report::none, observed = Report::none;
  double predicted_contraction = Report::none, observed_contraction = Report::none;

  double difference() const { return predicted / observed - 1.0; }
  double rule_difference() const { return rule / observed - 1.0; }

  void describe(Figures& f) {
    f("integrator", integrator, "fixed-step method");
    f("step", step, "s", "step");
    f("run_steps", run_steps, "steps of an observed run");
    f("rule_gain_x_step", rule, "1", "boundary by the stability function of the method alone");
    f("motion_gain_x_step", motion, "1", "boundary by the step map along the exact motion");
    f("predicted_gain_x_step", predicted, "1",
      "boundary by the step map along the run, and by the violation it predicts");
    f("observed_gain_x_step", observed, "1", "boundary of observed runs, by their differences and their violation");
    f("predicted_contraction_gain_x_step", predicted_contraction, "1", "differences of runs die out, by the step map");
    f("observed_contraction_gain_x_step", observed_contraction, "1", "differences of observed runs die out");
    f.derived("predicted_gain", predicted / step, "1/s", "predicted largest stable gain");
    f.derived("observed_gain", observed / step, "1/s", "observed largest stable gain");
    f.derived("relative_difference", difference(), "1", "predicted / observed - 1");
    f.derived("rule_relative_difference", rule_difference(), "1", "rule / observed - 1");
  }
};

/// The points of the map and their common settings.
struct StabilityMap {
  const Problem& problem;
  std::string formulation;
  bool first_order = false;
  double zeta = 1.0;
  int run_steps = 0;
  bool predict = true;
  double seed = 0.0;
  std::vector<MapPoint> points;

  Gains gains(double gain) const {
    Gains result;
    if (first_order) {
      result.K_N = gain;
      return result;
    }
    result = Gains::natural_frequency(gain, zeta);
    if (problem.mechanism.system->num_velocity_constraints() > 0) result.K_N = gain;
    return result;
  }
};

void print(const StabilityMap& map, std::size_t width);
std::string document(const StabilityMap& map);  ///< document of --json

/// Returns the points as lines, gains in 1/s. @param separator  a blank gives data for gnuplot, with NaN for a missing
/// value
std::string csv(const StabilityMap& map, char separator);

/// Draws the plane of step and gain, predicted and observed.
void draw(const StabilityMap& map, const std::vector<std::string>& integrators, const Pictures& pictures);

}  // namespace sunlagrange::program
