// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <sunlagrange/linear_solver/options.hpp>

#include "shared/problem.hpp"

namespace sunlagrange::program {

constexpr double not_compared = std::numeric_limits<double>::infinity();

/// Requirements of `validate` on one mechanism. Allowed errors are absolute, in the units of the mechanism, for the
/// largest component over all compared times (those of the reference table, or twenty for a closed form). They follow
/// from the accuracy of the reference, or are demanded by its authors; `why` gives the reason.
struct Validation {
  std::string mechanism;
  std::vector<std::string> formulations;  ///< "formulation", with its automatic integrator, or "formulation/integrator"
  double tolerance = 1e-10;               ///< rtol = atol
  double q = not_compared;
  double v = not_compared;
  double lambda = not_compared;
  double observed = not_compared;  ///< each observable of the mechanism
  double closure = 1e-6;           ///< error of the energy balance relative to the exchanged energy
  std::string why;
  int size = not_given;
  double t_end = std::numeric_limits<double>::quiet_NaN();
  AtSingularity at_singularity = AtSingularity::filter;
  std::string linear_solver = "automatic";
};

/// Returns the plan in the order of the mechanism registry. A mechanism with a reference that is not in the table gets
/// a line with formulations baumgarte and projected and an error of 1e-6 of its size.
std::vector<Validation> validation_plan();

}  // namespace sunlagrange::program
