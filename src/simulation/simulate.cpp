// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/simulation/simulate.hpp>

#include <utility>

#include <sunlagrange/simulation/stepper.hpp>

#include "model/checks/required_system.hpp"
#include "simulation/error_estimate.hpp"

namespace sunlagrange {

Simulation simulate(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                    const SimulationOptions& options) {
  internal::require_system(system, "simulate");
  SimulationOptions one_run = options;
  one_run.estimate_error = false;
  if (options.estimate_error) {
    for (const EstimatedFunction& function : options.estimated_functions) {
      if (!function.value)
        throw Error("simulate: estimated_functions: \"" + function.name + "\" is empty; give a function of the state");
    }
    one_run.estimated_functions.clear();
  }
  Stepper stepper(system, given, one_run);
  std::vector<double> ends;  // of the steps
  while (stepper.step()) {
    if (options.estimate_error) ends.push_back(stepper.time());
  }
  Simulation result = stepper.finish();
  const double reached = result.report.t_reached;
  if (options.estimate_error && (ends.empty() || ends.back() < reached)) ends.push_back(reached);  // it ended there
  const bool moved = result.trajectory.size() > 1U && reached > given.t;
  if (!options.estimate_error) return result;
  if (!moved || result.report.steps == 0) {
    result.report.unchecked.emplace_back("the error could not be estimated: the run made no step");
    return result;
  }
  result.report.error_estimate = internal::estimated_error(system, given, options, result, ends);
  if (result.status.finished()) {
    for (Doubt& doubt : internal::doubts_about(*result.report.error_estimate, options, result.report))
      result.status.doubts.push_back(std::move(doubt));
  }
  return result;
}

ConsistentState consistent_state_at(const Trajectory& trajectory, const std::shared_ptr<const MechanicalSystem>& system,
                                    double t, const ConsistencyOptions& options) {
  InitialState interpolated;
  interpolated.t = t;
  interpolated.q = trajectory.position_at(t);
  interpolated.v = trajectory.velocity_at(t);
  return consistent_state(system, interpolated, options);
}

}  // namespace sunlagrange
