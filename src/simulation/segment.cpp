// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/segment.hpp"

#include <algorithm>
#include <exception>

#include <sunlagrange/base/setting.hpp>

#include "base/numerics.hpp"
#include "simulation/failure_hints.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

/// Returns the status if the application asks for the end, or if its function throws.
std::optional<Status> interruption(const SimulationOptions& o, double t, const Report& report) {
  if (!o.keep_going) return std::nullopt;
  std::string why;
  try {
    if (o.keep_going(t)) return std::nullopt;
  } catch (const std::exception& error) {
    why = std::string(": keep_going threw: ") + error.what();
  } catch (...) {
    why = ": keep_going threw something unknown";
  }
  return Status{Outcome::interrupted,
                "interrupted at t = " + text(t) + " after " + std::to_string(report.steps) + " steps" + why};
}

}  // namespace

IntegrationSegment::IntegrationSegment(IntegratorStepper& stepper, RunMonitor& monitor, EventRunner& events,
                                       StepLimit& limit, const SimulationOptions& options, Simulation& run)
    : stepper_(stepper),
      monitor_(monitor),
      events_(events),
      limit_(limit),
      options_(options),
      run_(run),
      is_explicit_(find_integrator(options.integrator).kind == IntegratorKind::explicit_adaptive),
      span_(options.t_end - run.report.t_start),
      steps_before_(run.report.steps),
      t_(stepper.time()),
      t_stop_(options.t_end),
      q_(run.trajectory.num_positions()),
      v_(q_),
      a_(q_) {
  monitor.begin_segment(stepper, events.restart_state().q.data(), events.restart_state().v.data());
  if (!events.system()->motion_law().has_forces && stepper.motion(t_, q_.data(), v_.data(), a_.data(), a_known_)) {
    monitor.set_start_velocity(v_.data());
    monitor.set_start_acceleration(a_.data());
    first_ = false;
  }
}

IntegrationSegment::Next IntegrationSegment::end(Status status) {
  run_.status = std::move(status);
  return Next::end;
}

IntegrationSegment::Next IntegrationSegment::step(double t_stop) {
  if (!may_step()) return Next::end;
  double next_stop = events_.next_stop(t_, t_stop);
  if (limit_.suspected() - t_ > shortest_interval(t_)) next_stop = std::min(next_stop, limit_.suspected());
  if (const auto longest = limit_.change(t_, monitor_.path().time_of_pose())) {
    stepper_.limit_steps(*longest);
    if (*longest > 0.0) next_stop = std::min(next_stop, t_ + *longest);  // its next step was chosen before
  }
  if (next_stop != t_stop_) stepper_.stop_at(t_stop_ = next_stop);
  Status status;
  if (!attempt(status)) return status.finished() ? Next::repeat : fail(status);
  run_.report.steps = steps_before_ + stepper_.counts().steps;
  at_root_ = !stepper_.roots_found().empty();
  last_step_ = stepper_.time() - t_;
  update_start();
  stepper_.motion(stepper_.time(), q_.data(), v_.data(), a_.data(), a_known_);
  if (!q_.allFinite() || !v_.allFinite()) return end(beyond_numbers(*events_.system(), stepper_.time(), q_, v_));
  if ((events_.has_roots() || limit_.examines(last_step_)) && has_to_be_repeated()) return Next::repeat;
  t_ = at_root_ && t_stop - stepper_.time() <= rounding_of_runs * span_ ? t_stop : stepper_.time();
  monitor_.accept(t_, q_.data(), v_.data(), a_known_ ? a_.data() : nullptr, {&stepper_, last_step_, at_root_});
  return next();
}

/// Makes a step. Returns false if it failed; with an empty status if it has to be repeated.
bool IntegrationSegment::attempt(Status& status) {
  const auto repeats = [&] {
    const PathSample& begin = monitor_.newest();
    if (!begin.regular || !limit_.repeats_failed(begin.t)) return false;
    events_.restart_from({begin.t, begin.q, begin.v, begin.a, begin.lambda});
    status = {};
    return true;
  };
  try {
    if (stepper_.step(status)) return true;
    if (status.outcome != Outcome::integrator_failure) repeats();  // the model ended it
    return false;
  } catch (...) {
    if (!repeats()) throw;
    return false;
  }
}

/// Returns false, with the status, if the application asks for the end or the number of steps is reached.
bool IntegrationSegment::may_step() {
  if (const auto interrupted = interruption(options_, t_, run_.report)) {
    run_.status = *interrupted;
    return false;
  }
  if (run_.report.steps < options_.max_steps) return true;
  run_.status = too_many_steps(options_, stepper_, last_step_, *events_.system(), run_.report);
  run_.status.message += inertias_far_apart(options_, monitor_.path());
  return false;
}

/// Adds the likely reasons to the status of a step that failed.
IntegrationSegment::Next IntegrationSegment::fail(const Status& status) {
  run_.status = status;
  std::string& message = run_.status.message;
  message = end_far_away(options_, run_.report) + message;
  if (status.outcome == Outcome::integrator_failure) {
    message = violated_start(options_, run_.report) + message + near_singular_pose(options_, run_.report) +
              inertias_far_apart(options_, monitor_.path()) + many_redundant_directions(options_, monitor_.path());
  }
  message += entries_not_finite_ahead(stepper_, monitor_.path(), run_.report.t_end);
  const bool not_finite = stepper_.attachment().counts().failures.last_of_step() == EvaluationResult::not_finite;
  if (not_finite) return Next::end;
  if (const auto infeasible = monitor_.feasibility().ends_here(last_step_, status.message)) run_.status = *infeasible;
  return Next::end;
}

/// The acceleration at the start of the segment is known after the first step.
void IntegrationSegment::update_start() {
  if (first_ && stepper_.motion(t_, q_.data(), v_.data(), a_.data(), a_known_) && a_known_)
    monitor_.set_start_acceleration(a_.data());
  first_ = false;
}

/// Returns true if a root changes its sign twice within the step, or if it is too long for what depends on time. The
/// run goes back to the begin of the step then. Else events that are only recorded are found in the step.
bool IntegrationSegment::has_to_be_repeated() {
  const PathSample& begin = monitor_.newest();
  const double h = stepper_.time() - begin.t;
  const Eigen::VectorXd a_end = a_known_ ? a_ : cubic_acceleration(begin.q, begin.v, q_, v_, h);
  const StepEnd end{stepper_.time(), q_, v_, a_end};
  const bool repeat = begin.regular && (events_.hidden_root({begin.t, begin.q, begin.v, begin.a}, end, is_explicit_) ||
                                        !limit_.accepts(begin.t, end));
  if (repeat) {
    events_.restart_from({begin.t, begin.q, begin.v, begin.a, begin.lambda});
    return true;
  }
  const Eigen::VectorXd a_begin = begin.regular ? begin.a : cubic_acceleration(q_, v_, begin.q, begin.v, -h);
  events_.record_on_path({begin.t, begin.q, begin.v, a_begin}, end, at_root_);
  return false;
}

/// Decides how the run goes on from the newest state. Events at this state are handled and recorded before a check may
/// end the run.
IntegrationSegment::Next IntegrationSegment::next() {
  if (monitor_.newest_rejected()) return end(*monitor_.stop_reason());
  EventRunner::Verdict verdict = EventRunner::Verdict::go_on;
  if (at_root_) {
    verdict = events_.handle(stepper_.roots_found(), t_, q_.data(), v_.data());
    if (verdict == EventRunner::Verdict::stop) return end(events_.status());
  } else if (const auto missed = events_.missed_contact(t_, q_.data(), v_.data())) {
    return end(*missed);
  }
  if (monitor_.stop_reason()) return end(*monitor_.stop_reason());
  if (verdict == EventRunner::Verdict::restart) return Next::restart;
  if (const auto beyond = monitor_.passages().state_behind_pose()) {
    monitor_.accept(beyond->t, beyond->q.data(), beyond->v.data(), nullptr);
    events_.restart_from(*beyond);
    return Next::cross;
  }
  return t_ < options_.t_end ? Next::step : Next::end;
}

}  // namespace sunlagrange::internal
