// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
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

inline bool doubted(const Simulation& run, DoubtKind kind) {
  return std::any_of(run.status.doubts.begin(), run.status.doubts.end(),
                     [kind](const Doubt& d) { return d.kind == kind && d.value > d.allowed && !d.text.empty(); });
}

}  // namespace sunlagrange::test
