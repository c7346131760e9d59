#include "simulation/loop.hpp"

#include <cmath>

#include "linear_solver/motion_law.hpp"

namespace sunlagrange::internal {
namespace {

/// Recognises a crawl: recoverable failures (lost rank, declined points) again and again while the steps shrink to
/// nothing. CVODE never gives up there, because each tiny step succeeds after a few attempts.
class StallWatch {
 public:
  explicit StallWatch(double t_span) : tiny_step_(1e-8 * t_span) {}

  bool stalled(Stepper& stepper, double step) {
    const long failures = stepper.attachment().counts().failures.total();
    if (step >= tiny_step_) {
      tiny_steps_ = 0;
      failures_before_ = failures;
      return false;
    }
    return ++tiny_steps_ >= 20 && failures - failures_before_ >= 10;
  }

 private:
  double tiny_step_;
  long failures_before_ = 0;  // when the tiny steps began
  int tiny_steps_ = 0;
};

/// A hint where a nearly singular configuration is the likely reason for tiny steps.
std::string near_singular(const Report& report) {
  if (report.rank_events.empty() ||
      report.rank_events.back().t < report.t_reached - 1e-2 * (report.t_end - report.t_start))
    return "";
  return "; the configuration is nearly singular there, constraint \"" + report.rank_events.back().constraint +
         "\": try at_singularity = project, or linear solver dense with rank policy minimum_norm";
}

/// A violation above this, relative to the size of the start, is no solution of anything (springs of soft penalties may
/// stretch by a few times that size beyond the end of the workspace).
constexpr double diverged = 10.0;

/// Events this close to the end, relative to the interval, happen at the end: no integrator takes a shorter step.
constexpr double at_the_end = 1e-12;

Status too_many_steps(const SimulationOptions& o, double t, const Report& report) {
  return {Outcome::step_limit,
          "max_steps = " + std::to_string(o.max_steps) + " accepted steps reached at t = " + text(t) +
              "; raise max_steps, loosen the tolerances or check the gains" + near_singular(report)};
}

Status divergence(double t, const Report& report) {
  return {Outcome::integrator_failure,
          "the solution diverged at t = " + text(t) + ", max |g| = " + text(report.max_position_violation) +
              ": shorten the step, lower the gains (gain x step against the stability limit of the method) or use an "
              "adaptive integrator"};
}

}  // namespace

Status stopped_at(const RankEvent& event) {
  return {Outcome::rank_loss, "stopped as asked at the singular configuration at t = " + text(event.t) +
                                  ", constraint \"" + event.constraint + "\", smallest singular value " +
                                  text(event.smallest) +
                                  "; at_singularity = filter or project goes on, without or with leaving it out"};
}

bool integrate(Stepper& stepper, RunMonitor& monitor, EventRunner& events, const SimulationOptions& o,
               Simulation& run) {
  const double span = o.t_end - run.report.t_start;
  const int n = run.trajectory.num_positions();
  Eigen::VectorXd q(n), v(n), a(n);
  bool a_known = false;
  bool first = true;
  bool at_root = false;
  double last_step = 0.0;
  StallWatch stall(span);
  if (!motion_law(*events.system()).has_forces() &&
      stepper.motion(stepper.time(), q.data(), v.data(), a.data(), a_known)) {
    monitor.set_start_velocity(v.data());
    monitor.set_start_acceleration(a.data());
    first = false;
  }
  for (double t = stepper.time(); t < o.t_end;) {
    if (run.report.steps >= o.max_steps) {
      run.status = too_many_steps(o, t, run.report);
      return false;
    }
    Status status;
    if (!stepper.step(status)) {
      run.status = status;
      if (status.outcome == Outcome::integrator_failure) run.status.message += near_singular(run.report);
      if (status.outcome == Outcome::model_error || monitor.feasibility().found()) return false;
      if (const auto ends = monitor.feasibility().motion_ends_here(last_step, 1e-3 * span))
        run.status = {Outcome::infeasible, ends->message + " (" + status.message + ")"};
      return false;
    }
    if (!at_root) ++run.report.steps;  // the rest of a step with an event in it is no step
    at_root = !stepper.roots_found().empty();
    last_step = stepper.time() - t;
    if (first && stepper.motion(t, q.data(), v.data(), a.data(), a_known) && a_known) {
      monitor.set_start_acceleration(a.data());
    }
    first = false;
    stepper.motion(stepper.time(), q.data(), v.data(), a.data(), a_known);
    t = at_root && o.t_end - stepper.time() <= at_the_end * span ? o.t_end : stepper.time();
    monitor.accept(t, q.data(), v.data(), a_known ? a.data() : nullptr);
    if (!(monitor.feasibility().divergence() < diverged)) {
      run.status = divergence(t, run.report);
      return false;
    }
    if (at_root) {
      const EventRunner::Verdict verdict = events.handle(stepper.roots_found(), t, q.data(), v.data());
      if (verdict == EventRunner::Verdict::stop) run.status = events.status();
      if (verdict != EventRunner::Verdict::go_on) return verdict == EventRunner::Verdict::restart;
    } else if (const auto missed = events.missed_contact(t, q.data(), v.data())) {
      run.status = *missed;
      return false;
    }
    if (o.at_singularity == AtSingularity::stop && !run.report.rank_events.empty()) {
      run.status = stopped_at(run.report.rank_events.front());
      return false;
    }
    if (const auto beyond = monitor.passages().beyond()) {
      monitor.accept(beyond->t, beyond->q.data(), beyond->v.data(), nullptr);
      events.restart_from(*beyond);
      return true;
    }
    if (stall.stalled(stepper, last_step)) {
      run.status = stepper.attachment().explain("the step size fell to " + text(last_step) + " at t = " + text(t));
      return false;
    }
    if (monitor.feasibility().became_infeasible() && o.stop_when_infeasible) return false;
  }
  return false;
}

}  // namespace sunlagrange::internal
