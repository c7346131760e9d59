#pragma once

#include <string>

#include "mechanisms/mechanism.hpp"

/// Short ways to run the registered mechanisms.
namespace sunlagrange::test {

/// Options that belong to the mechanism's own problem statement.
inline SimulationOptions options_of(const mechanisms::Mechanism& mechanism, const std::string& formulation,
                                    const std::string& integrator, double tolerance) {
  SimulationOptions options;
  options.formulation = formulation;
  options.integrator = integrator;
  options.rtol = options.atol = tolerance;
  options.t_end = mechanism.t_end;
  options.gains = mechanism.gains;
  options.start = mechanism.start_mode;
  options.linear_solver.rank_policy = mechanism.rank_policy;
  return options;
}

/// Largest position error at the end against the registered reference.
inline double end_error(const mechanisms::Mechanism& mechanism, const Simulation& run) {
  const std::size_t last = run.trajectory.size() - 1;
  return (run.trajectory.q(last) - mechanism.reference(run.trajectory.t(last))->q).lpNorm<Eigen::Infinity>();
}

}  // namespace sunlagrange::test
