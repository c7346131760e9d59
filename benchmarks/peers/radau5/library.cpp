// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <memory>

#include <sunlagrange/sunlagrange.hpp>

#include "integrators/stepper.hpp"
#include "mechanisms/mechanism.hpp"
#include "run.hpp"

namespace sunlagrange::peers {
namespace {

constexpr const char* forms[] = {"index3", "index2", "ggl", "stabilized_index1", "index1", "baumgarte", "projected"};

double error_of(const mechanisms::Mechanism& mechanism, const Eigen::VectorXd& q) {
  return (q - mechanism.reference(mechanism.t_end)->q).lpNorm<Eigen::Infinity>();
}

Run attached(const mechanisms::Mechanism& mechanism, const std::string& form, double tolerance) {
  internal::StepperOptions options;
  options.attach.formulation = form;
  options.attach.rtol = options.attach.atol = tolerance;
  options.attach.gains = mechanism.gains;
  options.attach.t_span = options.t_end = mechanism.t_end;
  const MotionState start = consistent_state(mechanism.system, mechanism.start).state;
  const internal::IntegratorEntry& entry = internal::find_integrator("radau");
  const auto stepper = entry.make(entry, mechanism.system, start, options);
  Run run;
  Status status;
  const double begin = cpu_seconds();
  bool good = true;
  while (good && stepper->time() < options.t_end) good = stepper->step(status);
  run.seconds = cpu_seconds() - begin;
  run.finished = good;
  Eigen::VectorXd q(start.q.size()), v(q.size()), a(q.size());
  bool a_known = false;
  if (good) stepper->motion(stepper->time(), q.data(), v.data(), a.data(), a_known);
  run.error = error_of(mechanism, q);
  const internal::StepperCounts counts = stepper->counts();
  const AttachmentCounts evaluations = stepper->attachment().counts();
  run.steps = counts.steps;
  run.rejected = counts.error_test_failures + counts.nonlinear_failures;
  run.iterations = counts.nonlinear_iterations;
  run.jacobians = evaluations.jacobian_evaluations;
  run.factorizations = evaluations.factorizations / 2;
  run.evaluations = evaluations.rhs_evaluations;
  return run;
}

Run simulated(const mechanisms::Mechanism& mechanism, const std::string& form, double tolerance) {
  SimulationOptions options;
  options.formulation = form;
  options.integrator = "radau";
  options.rtol = options.atol = tolerance;
  options.t_end = options.max_step = mechanism.t_end;
  options.gains = mechanism.gains;
  Run run;
  const double begin = cpu_seconds();
  const Simulation simulation = simulate(mechanism.system, mechanism.start, options);
  run.seconds = cpu_seconds() - begin;
  run.finished = simulation.status.outcome == Outcome::finished;
  run.steps = simulation.report.steps;
  run.error = error_of(mechanism, simulation.trajectory.q(simulation.trajectory.size() - 1));
  return run;
}

}  // namespace

std::vector<double> exact_end(const std::string& problem) {
  const mechanisms::Mechanism mechanism = mechanisms::find_mechanism(problem).make(0);
  const Eigen::VectorXd q = mechanism.reference(mechanism.t_end)->q;
  return {q.begin(), q.end()};
}

void add_library_cases(const std::string& problem, std::vector<Case>& cases) {
  const auto mechanism = std::make_shared<const mechanisms::Mechanism>(mechanisms::find_mechanism(problem).make(0));
  for (const std::string form : forms) {
    cases.push_back({"attached", form, 0.0, [=](double tolerance) { return attached(*mechanism, form, tolerance); }});
    cases.push_back({"simulate", form, 0.0, [=](double tolerance) { return simulated(*mechanism, form, tolerance); }});
  }
}

}  // namespace sunlagrange::peers
