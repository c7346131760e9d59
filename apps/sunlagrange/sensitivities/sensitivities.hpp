#pragma once

#include <limits>
#include <string>
#include <vector>

#include <sunlagrange/analysis/sensitivities.hpp>

#include "shared/problem.hpp"

#include "shared/json.hpp"

/// `sensitivities`: along the motion (forward.cpp), or of one number by the adjoint (adjoint.cpp).
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

/// Name, value, unit, meaning.
Json parameter_json(const SystemParameter& parameter);

/// Prints derivatives of the motion, writes the page. @returns the exit code
int sensitivities_along(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options);

/// Prints the gradient of the functional.
int gradient_of_functional(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options);

}  // namespace sunlagrange::program
