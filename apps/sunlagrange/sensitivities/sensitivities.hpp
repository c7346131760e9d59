// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <sunlagrange/analysis/sensitivities.hpp>

#include "shared/problem.hpp"

#include "shared/json.hpp"

/// Parts of `sensitivities`: derivatives along the motion (forward.cpp), and the gradient of one number by the adjoint
/// equations (adjoint.cpp).
namespace sunlagrange::program {

struct SensitivitiesArguments {
  ProblemArguments problem;
  std::vector<std::string> parameters, start_positions, start_velocities;
  bool list = false;
  std::string formulation;
  std::string method = "staggered";
  double rtol = std::numeric_limits<double>::quiet_NaN();
  int points = not_given;
  std::string html;
  bool no_error_control = false;
  bool check = false;
  std::string functional;
};

/// Prints derivatives of the motion, writes the page. @returns the exit code
int sensitivities_along(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options);

/// Prints the gradient of the functional.
int gradient_of_functional(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options);

}  // namespace sunlagrange::program
