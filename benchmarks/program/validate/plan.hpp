#pragma once

#include <limits>
#include <string>
#include <vector>

#include <sunlagrange/linear_solver/options.hpp>

#include "shared/problem.hpp"

namespace sunlagrange::program {

constexpr double not_compared = std::numeric_limits<double>::infinity();

/// What `validate` demands of one mechanism. Allowed errors are absolute, the largest component over all times compared
/// (the times of the reference table, or twenty of a closed form), in the units of the mechanism. They come from what
/// the reference itself is worth, or from what its authors ask for; `why` says which.
struct Validation {
  std::string mechanism;
  std::vector<std::string> formulations;  ///< each with its automatic integrator, or "formulation/integrator"
  double tolerance = 1e-10;               ///< rtol = atol
  double q = not_compared;
  double v = not_compared;
  double lambda = not_compared;
  double observed = not_compared;  ///< each observable of the mechanism
  double closure = 1e-6;           ///< of the energy balance, relative to the energy that changed hands
  std::string why;
  int size = not_given;
  double t_end = std::numeric_limits<double>::quiet_NaN();
  AtSingularity at_singularity = AtSingularity::filter;
  std::string linear_solver = "automatic";
};

/// In the order of the mechanism registry; a mechanism with a reference that is not in the table gets a line with
/// formulations baumgarte and projected and 1e-6 of its own size.
std::vector<Validation> validation_plan();

}  // namespace sunlagrange::program
