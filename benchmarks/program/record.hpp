#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "problem.hpp"

namespace sunlagrange::bench {

/// One run and what it was asked for.
struct RunRecord {
  SimulationOptions options;  ///< as asked, integrator resolved
  std::string mechanism;
  std::string linear_solver;  ///< resolved name
  bool fixed_step = false;
  Simulation simulation;
  // Largest error at t_end over q, v, lambda, in their units; NaN: not known there, or not reached.
  double error_vs_reference = Report::none;  ///< positions
  double velocity_error_vs_reference = Report::none;
  double multiplier_error_vs_reference = Report::none;
};

/// False for adaptive integrators, "automatic" and unknown names.
bool is_fixed_step(const std::string& integrator);

/// Runs the problem with `options`. @throws Error as simulate()
RunRecord run_problem(const Problem& problem, SimulationOptions options);

/// {"schema": 1, "runs": [...]}; values that do not apply or are not finite are null.
nlohmann::ordered_json document(const std::vector<RunRecord>& records);

/// exit_finished or exit_numerical_failure.
int exit_code(const std::vector<RunRecord>& records);

}  // namespace sunlagrange::bench
