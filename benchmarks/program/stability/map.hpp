#pragma once

#include <string>
#include <vector>

#include "parts/gnuplot.hpp"
#include "shared/problem.hpp"

/// The map of the command `stability`, and its text, JSON, CSV and picture.
namespace sunlagrange::program {

/// One point of the map. Boundaries are gain x step; NaN: none was found, or it was not requested.
struct MapPoint {
  std::string integrator;
  double step = 0.0;  ///< [s]
  int run_steps = 0;
  double rule = Report::none;       ///< constant constraint dynamics: the method's stability function alone
  double motion = Report::none;     ///< step map along the exact motion
  double predicted = Report::none;  ///< program: the rule; mechanism: step map along the run
  double observed = Report::none;

  double difference() const { return predicted / observed - 1.0; }
  double rule_difference() const { return rule / observed - 1.0; }
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
