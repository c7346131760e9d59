#include "simulation/segment.hpp"

#include <cmath>
#include <exception>
#include <optional>

#include "base/numerics.hpp"
#include "simulation/alternatives.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

/// A hint where a nearly singular configuration is the likely reason for tiny steps.
std::string near_singular(const SimulationOptions& o, const Report& report) {
  if (report.rank_events.empty() ||
      report.rank_events.back().t < report.t_reached - 1e-2 * (report.t_end - report.t_start))
    return "";
  const std::string where =
      "; the configuration is nearly singular there, constraint \"" + report.rank_events.back().constraint + "\"";
  if (find_formulation(o.formulation).for_programs) return where;
  return where + ": try " + (o.at_singularity == AtSingularity::project ? "" : "at_singularity = project, ") +
         (o.linear_solver.rank_policy == RankPolicy::minimum_norm ? "" : "rank policy minimum_norm, ") +
         "or formulation " + alternatives({"projected", "ggl", "penalty"}, o.formulation);
}

constexpr double too_far_apart = 1e8;

/// A hint where inertias far apart are the likely reason: multipliers that move the heavy parts round off what Newton's
/// iteration looks for in the light ones.
std::string inertias_far_apart(const SimulationOptions& o, const RunMonitor& monitor) {
  const auto range = monitor.inertias();
  if (!range || !(range->ratio >= too_far_apart)) return "";
  return "; inertias lie " + text(range->ratio) + " apart (\"" + range->largest + "\" and \"" + range->smallest +
         "\"): beside such forces the light part may be lost in rounding: try formulation " +
         alternatives({"baumgarte", "projected", "coordinate_partitioning"}, o.formulation);
}

/// Multiplier forms ask for g = 0 or g' = 0 itself: beside a start that violates them there is no solution.
std::string violated_start(const SimulationOptions& o, const Report& report) {
  if (report.steps > 0 || o.start != Start::as_given || report.start.status.message.empty() ||
      find_formulation(o.formulation).equations != Equations::dae)
    return "";
  return report.start.status.message + "; formulation " + o.formulation +
         " cannot take that back: use start = consistent, or a formulation with feedback: " +
         alternatives({"baumgarte", "index1", "penalty"}, o.formulation) + "; so ";
}

/// Integrators take the length of the run for a hint at their first step.
std::string end_far_away(const SimulationOptions& o, const Report& report) {
  constexpr double years_300 = 1e10;
  const double longest = longest_step(o, report.t_start);
  if (report.steps > 0 || !(longest > years_300)) return "";
  return "t_end = " + text(o.t_end) + " allows steps of " + text(longest) +
         " s, and the first one tried may have been too long: choose an earlier t_end; no step was accepted: ";
}

/// A violation above this, relative to the size of the start, is no solution of anything (springs of soft penalties may
/// stretch by a few times that size beyond the end of the workspace).
constexpr double diverged = 10.0;

/// Events this close to the end, relative to the interval, happen at the end: no integrator takes a shorter step.
constexpr double at_the_end = 1e-12;

/// Names the gains only of what has some.
Status too_many_steps(const SimulationOptions& o, IntegratorStepper& stepper, double last_step,
                      const MechanicalSystem& system, const Report& report) {
  const FormulationFacts& facts = stepper.attachment().facts();
  const bool has_gains = facts.advice.has_value() || facts.Lambda.has_value();
  const std::string gains(has_gains ? find_formulation(o.formulation).feedback_of(system) : "");
  const bool held_short = o.max_step > 0.0 && last_step > 0.5 * o.max_step;
  const std::string remedy =
      find_integrator(o.integrator).fixed_step ? "; raise max_steps or lengthen the step"
      : held_short
          ? "; max_step = " + text(o.max_step) + " decided on the last one: raise it, or max_steps to at least " +
                text(static_cast<double>(report.steps) + (o.t_end - stepper.time()) / o.max_step)
          : "; " + (last_step > 0.0 ? "the last one took " + text(last_step) + " s" : "the last did not move t") +
                ": raise max_steps, loosen the tolerances, " + (gains.empty() ? "" : "check " + gains + ", ") +
                "or smooth what changes abruptly (dry friction at rest, stops), or make it an event";
  return {Outcome::step_limit, "max_steps = " + std::to_string(o.max_steps) + " accepted steps reached at t = " +
                                   text(stepper.time()) + remedy + near_singular(o, report)};
}

/// Steps below the last digit of t: the integrator would take them until max_steps.
Status time_no_longer_advances(const SimulationOptions& o, double t, const Report& report) {
  const bool late = std::abs(t) > 1e3 * (report.t_end - report.t_start);
  return {Outcome::integrator_failure,
          "the steps fell below the last digit of t = " + text(t) + ": " +
              std::to_string(StallDetector::most_without_advance) +
              " in a row were accepted, and t did not move: rounding lies above the tolerances there, or something is "
              "too fast for t: loosen the tolerances, check units, " +
              (late ? "start the clock near 0, " : "") +
              "smooth what changes abruptly (dry friction at rest, stops), or make it an event" +
              near_singular(o, report)};
}

/// The application asks for the end, or its question failed.
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

/// Names what the formulation reads.
Status divergence(double t, const Report& report, const SimulationOptions& o, const MechanicalSystem& system) {
  const bool fixed_step = find_integrator(o.integrator).fixed_step;
  const std::string gains(find_formulation(o.formulation).feedback_of(system));
  std::string remedy = fixed_step ? ": shorten the step, " : ": tighten the tolerances, ";
  if (gains.empty())
    remedy += "or use formulation integral_manifold, which takes drift back";
  else if (fixed_step)
    remedy +=
        "lower " + gains + " (gain x step against the stability limit of the method) or use an adaptive integrator";
  else
    remedy += "or check " + gains + " and the units of atol";
  return {Outcome::integrator_failure,
          "the solution diverged at t = " + text(t) + ", max |g| = " + text(report.max_position_violation) + remedy};
}

/// A step that ended where numbers do, though every evaluation on the way was finite.
Status beyond_numbers(const MechanicalSystem& system, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  int i = 0;
  while (std::isfinite(q[i]) && std::isfinite(v[i])) ++i;
  return {Outcome::integrator_failure,
          "\"" + system.position_name(i) + "\" grows beyond all numbers at t = " + text(t) + ": " +
              (std::isfinite(q[i]) ? "its velocity is " + text(v[i]) : "it is " + text(q[i])) +
              "; check the start and the units, or what drives it without bound"};
}

}  // namespace

Status stopped_at(const RankEvent& event) {
  return {Outcome::rank_loss, "stopped as asked at the singular configuration at t = " + text(event.t) +
                                  ", constraint \"" + event.constraint + "\", smallest singular value " +
                                  text(event.smallest) +
                                  "; at_singularity = filter or project goes on, without or with leaving it out"};
}

void StallDetector::note(IntegratorStepper& stepper, double step) {
  const long failures = stepper.attachment().counts().failures.total();
  if (step >= tiny_step_) {
    tiny_steps_ = 0;
    look_at_ = first_look;
    failures_before_ = failures;
  } else {
    ++tiny_steps_;
  }
  steps_without_advance_ = step > 0.0 ? 0 : steps_without_advance_ + 1;
  failures_ = failures - failures_before_;
}

bool StallDetector::look_ahead() {
  if (tiny_steps_ < look_at_) return false;
  look_at_ *= 2;
  return true;
}

IntegrationSegment::IntegrationSegment(IntegratorStepper& stepper, RunMonitor& monitor, EventRunner& events,
                                       const SimulationOptions& options, Simulation& run)
    : stepper_(stepper),
      monitor_(monitor),
      events_(events),
      o_(options),
      run_(run),
      span_(options.t_end - run.report.t_start),
      steps_before_(run.report.steps),
      t_(stepper.time()),
      t_stop_(options.t_end),
      q_(run.trajectory.num_positions()),
      v_(q_),
      a_(q_),
      stall_(span_),
      error_law_(fixed_step_table(options)) {
  error_law_.begin(stepper, events.restart_state().q.data(), events.restart_state().v.data());
  if (!events.system()->motion_law().has_forces && stepper.motion(t_, q_.data(), v_.data(), a_.data(), a_known_)) {
    monitor.set_start_velocity(v_.data());
    monitor.set_start_acceleration(a_.data());
    first_ = false;
  }
}

/// The run cannot go on, or hardly: because no configuration satisfies the constraints a little later?
bool IntegrationSegment::infeasible_ahead(const std::string& what_happened) {
  const auto ends = monitor_.feasibility().motion_ends_here(last_step_, 1e-2 * span_);
  if (ends.has_value()) run_.status = {Outcome::infeasible, ends->message + " (" + what_happened + ")"};
  return ends.has_value();
}

IntegrationSegment::Next IntegrationSegment::step(double t_stop) {
  Report& report = run_.report;
  if (const auto interrupted = interruption(o_, t_, report)) {
    run_.status = *interrupted;
    return Next::end;
  }
  if (report.steps >= o_.max_steps) {
    run_.status = too_many_steps(o_, stepper_, last_step_, *events_.system(), report);
    run_.status.message += inertias_far_apart(o_, monitor_);
    return Next::end;
  }
  const double next_stop = events_.next_stop(t_, t_stop);
  if (next_stop != t_stop_) stepper_.stop_at(t_stop_ = next_stop);
  Status status;
  if (!stepper_.step(status)) {
    run_.status = status;
    std::string& message = run_.status.message;
    message = end_far_away(o_, report) + message;
    if (status.outcome == Outcome::integrator_failure)
      message = violated_start(o_, report) + message + near_singular(o_, report) + inertias_far_apart(o_, monitor_);
    const bool not_finite = stepper_.attachment().counts().failures.last_of_step() == EvaluationResult::not_finite;
    if (!not_finite && !monitor_.feasibility().found()) infeasible_ahead(status.message);
    return Next::end;
  }
  report.steps = steps_before_ + stepper_.counts().steps;
  at_root_ = !stepper_.roots_found().empty();
  last_step_ = stepper_.time() - t_;
  if (first_ && stepper_.motion(t_, q_.data(), v_.data(), a_.data(), a_known_) && a_known_) {
    monitor_.set_start_acceleration(a_.data());
  }
  first_ = false;
  stepper_.motion(stepper_.time(), q_.data(), v_.data(), a_.data(), a_known_);
  if (!q_.allFinite() || !v_.allFinite()) {
    run_.status = beyond_numbers(*events_.system(), stepper_.time(), q_, v_);
    return Next::end;
  }
  if (!o_.events.empty() && hides_roots()) return Next::repeat;
  report.time_rounding += 0.5 * last_digit(stepper_.time());
  t_ = at_root_ && t_stop - stepper_.time() <= at_the_end * span_ ? t_stop : stepper_.time();
  clock_.time(report, [&] {
    monitor_.accept(t_, q_.data(), v_.data(), a_known_ ? a_.data() : nullptr, stepper_.last_evaluation(),
                    stepper_.order(), at_root_);
    monitor_.note_taken_out(stepper_.last_velocity_correction());
    error_law_.accept(stepper_, last_step_, q_.data(), v_.data(), report);
  });
  return look_at_accepted();
}

/// The run goes back to the begin of the step.
bool IntegrationSegment::hides_roots() {
  const PathSample& begin = monitor_.newest();
  if (!begin.regular) return false;
  if (!a_known_) a_ = cubic_acceleration(begin.q, begin.v, q_, v_, stepper_.time() - begin.t);
  if (!events_.hidden_root({begin.t, begin.q, begin.v, begin.a}, {stepper_.time(), q_, v_, a_})) return false;
  events_.restart_from({begin.t, begin.q, begin.v, begin.a, begin.lambda});
  return true;
}

/// Whether the motion goes on from the newest state.
IntegrationSegment::Next IntegrationSegment::look_at_accepted() {
  if (const std::optional<Status>& wrong = monitor_.inertia().found()) {
    run_.status = *wrong;
    return Next::end;
  }
  if (!(monitor_.feasibility().divergence() < diverged)) {
    run_.status = divergence(t_, run_.report, o_, *events_.system());
    return Next::end;
  }
  if (at_root_) {
    const EventRunner::Verdict verdict = events_.handle(stepper_.roots_found(), t_, q_.data(), v_.data());
    if (verdict == EventRunner::Verdict::stop) run_.status = events_.status();
    if (verdict != EventRunner::Verdict::go_on)
      return verdict == EventRunner::Verdict::restart ? Next::restart : Next::end;
  } else if (const auto missed = events_.missed_contact(t_, q_.data(), v_.data())) {
    run_.status = *missed;
    return Next::end;
  }
  if (o_.at_singularity == AtSingularity::stop && !run_.report.rank_events.empty()) {
    run_.status = stopped_at(run_.report.rank_events.front());
    return Next::end;
  }
  if (const auto beyond = monitor_.passages().beyond()) {
    monitor_.accept(beyond->t, beyond->q.data(), beyond->v.data(), nullptr);
    events_.restart_from(*beyond);
    return Next::restart;
  }
  if (check_stall()) return Next::end;
  const bool infeasible = clock_.time(run_.report, [&] {
    monitor_.feasibility().look_at_velocities(run_.report);
    return monitor_.feasibility().became_infeasible();
  });
  return (infeasible && o_.stop_when_infeasible) || !(t_ < o_.t_end) ? Next::end : Next::step;
}

/// A crawl that never ends; the status says why.
bool IntegrationSegment::check_stall() {
  stall_.note(stepper_, last_step_);
  if (stall_.time_no_longer_advances()) {
    run_.status = time_no_longer_advances(o_, t_, run_.report);
    return true;
  }
  const bool look_ahead = stall_.look_ahead() && o_.stop_when_infeasible && !monitor_.feasibility().found();
  if (!stall_.stalled() && !look_ahead) return false;
  run_.status = stepper_.attachment().explain("the step size fell to " + text(last_step_) + " at t = " + text(t_));
  if ((!monitor_.feasibility().found() && infeasible_ahead(run_.status.message)) || stall_.stalled()) return true;
  run_.status = {};
  return false;
}

}  // namespace sunlagrange::internal
