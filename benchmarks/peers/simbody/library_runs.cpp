// SPDX-License-Identifier: BSD-3-Clause
#include "library_runs.hpp"

namespace sunlagrange::peers {

std::vector<double> values_of(const std::string& mechanism, const Eigen::VectorXd& q) {
  std::vector<double> values;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    if (mechanism != "closed_chain" || i % 3 != 2) values.push_back(q[i]);
  }
  return values;
}

Ending run_library(const std::string& name, const mechanisms::Mechanism& mechanism, const std::string& formulation,
                   const std::string& integrator, double tolerance, double t_end, double cpu_limit) {
  SimulationOptions options;
  options.formulation = formulation;
  options.integrator = integrator;
  options.rtol = options.atol = tolerance;
  options.t_end = t_end;
  if (formulation != "automatic") options.max_step = t_end;
  options.gains = mechanism.gains;
  options.start = mechanism.start_mode;
  options.linear_solver.rank_policy = mechanism.rank_policy;
  const double begin = cpu_seconds();
  int calls = 0;  // of a clock that asks the kernel: not at every step
  options.keep_going = [&](double) { return ++calls % 64 != 0 || cpu_seconds() - begin < cpu_limit; };
  const Simulation run = simulate(mechanism.system, mechanism.start, options);
  Ending ending;
  ending.steps = run.report.steps;
  ending.evaluations = run.report.rhs_evaluations;
  ending.values = values_of(name, run.trajectory.q(run.trajectory.size() - 1));
  if (!run.status.finished()) ending.failure = to_string(run.status.outcome);
  ending.doubted = run.status.outcome == Outcome::uncertain_branch;
  return ending;
}

}  // namespace sunlagrange::peers
