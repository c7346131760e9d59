// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/monitor.hpp"

namespace sunlagrange::internal {

RunMonitor::RunMonitor(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows,
                       const SimulationOptions& options, Simulation& run)
    : run_(run),
      path_(system, options.linear_solver, options.at_singularity == AtSingularity::filter),
      observed_{path_, options, run.report},
      checks_(make_checks(observed_)),
      feasibility_(checks_.get<Feasibility>()),
      passages_(checks_.get<SingularPassages>()),
      recorder_(path_, run.trajectory, options, rows) {}

void RunMonitor::restart(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows,
                         double event_work) {
  path_.restart(system);
  checks_.for_each([&](Check& check) { check.restart(event_work); });
  recorder_.restart(rows);
}

void RunMonitor::begin_segment(IntegratorStepper& stepper, const double* q, const double* v) {
  checks_.for_each([&](Check& check) { check.begin_segment(stepper, q, v); });
}

void RunMonitor::accept(double t, const double* q, const double* v, const double* a, const AcceptedStep& step) {
  const bool stepped = step.stepper != nullptr;
  const auto observe = [&] {
    path_.accept(t, q, v, a, stepped ? step.stepper->last_evaluation() : nullptr);
    checks_.for_each([&](Check& check) { check.observe(step); });
    recorder_.accept(stepped ? step.stepper->order() : 0);
    run_.report.t_reached = t;
  };
  stepped ? clock_.time(run_.report, observe) : observe();
}

void RunMonitor::conclude(Status& status) {
  checks_.for_each([&](Check& check) { check.finish(status); });
  if (status.outcome != Outcome::rank_loss || path_.samples().empty()) return;
  const std::string weakest = path_.weakest_constraint(path_.newest().weakest_row);
  if (!weakest.empty()) status.message += "; weakest constraint \"" + weakest + "\"";
}

std::vector<Doubt> RunMonitor::doubts(const MechanicalSystem& system) const {
  const ExpectedAccuracy expected(system, run_.report, observed_.options);
  Doubts doubts;
  checks_.for_each([&](const Check& check) { check.judge(expected, doubts); });
  run_.report.unchecked = std::move(doubts.unchecked);
  return std::move(doubts.list);
}

/// The acceleration at the start of a segment is known only after its first step. It amends the first sample of the
/// path; the state from which a later segment starts has been sampled with the integrator before.
void RunMonitor::set_start_acceleration(const double* a) {
  if (path_.samples().size() != 1) return;
  path_.set_start_acceleration(a);
  recorder_.set_start_acceleration(a);
}

void RunMonitor::set_start_velocity(const double* v) {
  if (path_.samples().size() != 1) return;
  path_.set_start_velocity(v);
  recorder_.set_start_velocity(v);
}

/// The newest sample may lie later, if an exception interrupted the checks there.
void RunMonitor::keep_end() {
  const auto& samples = path_.samples();
  for (auto s = samples.rbegin(); s != samples.rend(); ++s) {
    if (s->t <= run_.report.t_reached) return recorder_.finish(*s);
  }
}

}  // namespace sunlagrange::internal
