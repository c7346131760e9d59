#include "simulation/loop.hpp"

#include <chrono>
#include <cmath>
#include <exception>
#include <optional>

#include "base/numerics.hpp"
#include "linear_solver/motion_law.hpp"
#include "simulation/alternatives.hpp"
#include "simulation/error_law_watch.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

/// Recognises a crawl: tiny steps, one after the other. With recoverable failures (lost rank, declined points) again
/// and again it is a stall: CVODE never gives up there, because each tiny step succeeds after a few attempts. Without,
/// it may be a fast part of the motion, or the edge behind which the constraints cannot be met.
class StallWatch {
 public:
  explicit StallWatch(double t_span) : tiny_step_(1e-8 * t_span) {}

  /// After every accepted step.
  void note(Stepper& stepper, double step) {
    const long failures = stepper.attachment().counts().failures.total();
    if (step >= tiny_step_) {
      tiny_steps_ = 0;
      look_at_ = first_look;
      failures_before_ = failures;
    } else {
      ++tiny_steps_;
    }
    failures_ = failures - failures_before_;
  }

  bool stalled() const { return tiny_steps_ >= 20 && failures_ >= 10; }

  /// True now and then during a crawl, more and more rarely: it is time to see what lies ahead.
  bool look_ahead() {
    if (tiny_steps_ < look_at_) return false;
    look_at_ *= 2;
    return true;
  }

 private:
  static constexpr long first_look = 50;

  double tiny_step_;
  long failures_before_ = 0;  // when the tiny steps began
  long failures_ = 0;         // since
  long tiny_steps_ = 0;
  long look_at_ = first_look;
};

/// Time spent on watching accepted steps: the first ones are timed, later ones every so often, for them all.
class MonitoringClock {
 public:
  explicit MonitoringClock(Report& report) : report_(report) {}

  template <class Watch>
  auto time(Watch&& watch) {
    const long share = report_.steps < all_timed ? 1 : every;
    if (report_.steps % share != 0) return watch();
    const Lap lap{report_.monitoring_seconds, static_cast<double>(share)};
    return watch();
  }

 private:
  static constexpr long all_timed = 64;
  static constexpr long every = 8;

  struct Lap {
    double& seconds;
    double weight;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    ~Lap() { seconds += weight * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }
  };

  Report& report_;
};

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

/// Multiplier forms ask for g = 0 or g' = 0 itself: beside a start that violates them there is no solution.
std::string violated_start(const SimulationOptions& o, const Report& report) {
  if (report.steps > 0 || o.start != Start::as_given || report.start.status.message.empty() ||
      find_formulation(o.formulation).equations != Equations::dae)
    return "";
  return "; " + report.start.status.message + "; formulation " + o.formulation +
         " cannot take that back: use start = consistent, or a formulation with feedback: " +
         alternatives({"baumgarte", "index1", "penalty"}, o.formulation);
}

/// A violation above this, relative to the size of the start, is no solution of anything (springs of soft penalties may
/// stretch by a few times that size beyond the end of the workspace).
constexpr double diverged = 10.0;

/// Events this close to the end, relative to the interval, happen at the end: no integrator takes a shorter step.
constexpr double at_the_end = 1e-12;

Status too_many_steps(const SimulationOptions& o, double t, const Report& report) {
  return {Outcome::step_limit,
          "max_steps = " + std::to_string(o.max_steps) + " accepted steps reached at t = " + text(t) +
              "; raise max_steps, loosen the tolerances or check the gains" + near_singular(o, report)};
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
  const long steps_before = run.report.steps;
  StallWatch stall(span);
  MonitoringClock clock(run.report);
  ErrorLawWatch error_law(fixed_step_table(o));
  error_law.begin(stepper, events.restart_state().q.data(), events.restart_state().v.data());
  if (!motion_law(*events.system()).has_forces() &&
      stepper.motion(stepper.time(), q.data(), v.data(), a.data(), a_known)) {
    monitor.set_start_velocity(v.data());
    monitor.set_start_acceleration(a.data());
    first = false;
  }
  // The run cannot go on, or hardly: because no configuration satisfies the constraints a little later?
  const auto infeasible_ahead = [&](const std::string& what_happened) {
    const auto ends = monitor.feasibility().motion_ends_here(last_step, 1e-2 * span);
    if (ends.has_value()) run.status = {Outcome::infeasible, ends->message + " (" + what_happened + ")"};
    return ends.has_value();
  };
  for (double t = stepper.time(); t < o.t_end;) {
    if (const auto interrupted = interruption(o, t, run.report)) {
      run.status = *interrupted;
      return false;
    }
    if (run.report.steps >= o.max_steps) {
      run.status = too_many_steps(o, t, run.report);
      return false;
    }
    Status status;
    if (!stepper.step(status)) {
      run.status = status;
      if (status.outcome == Outcome::integrator_failure)
        run.status.message += near_singular(o, run.report) + violated_start(o, run.report);
      const bool not_finite = stepper.attachment().counts().failures.last_of_step() == EvaluationResult::not_finite;
      if (!not_finite && !monitor.feasibility().found()) infeasible_ahead(status.message);
      return false;
    }
    run.report.clock_rounding += 0.5 * last_digit(stepper.time());
    run.report.steps = steps_before + stepper.counts().steps;
    at_root = !stepper.roots_found().empty();
    last_step = stepper.time() - t;
    if (first && stepper.motion(t, q.data(), v.data(), a.data(), a_known) && a_known) {
      monitor.set_start_acceleration(a.data());
    }
    first = false;
    stepper.motion(stepper.time(), q.data(), v.data(), a.data(), a_known);
    t = at_root && o.t_end - stepper.time() <= at_the_end * span ? o.t_end : stepper.time();
    clock.time([&] {
      monitor.accept(t, q.data(), v.data(), a_known ? a.data() : nullptr, stepper.nearby_solution(), stepper.order());
    });
    clock.time([&] { error_law.accept(stepper, last_step, q.data(), v.data(), run.report); });
    if (const std::optional<Status>& wrong = monitor.inertia().found()) {
      run.status = *wrong;
      return false;
    }
    if (!(monitor.feasibility().divergence() < diverged)) {
      run.status = divergence(t, run.report, o, *events.system());
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
    stall.note(stepper, last_step);
    const bool look_ahead = stall.look_ahead() && o.stop_when_infeasible && !monitor.feasibility().found();
    if (stall.stalled() || look_ahead) {
      const std::string fell = "the step size fell to " + text(last_step) + " at t = " + text(t);
      run.status = stepper.attachment().explain(fell);
      if ((!monitor.feasibility().found() && infeasible_ahead(run.status.message)) || stall.stalled()) return false;
      run.status = {};
    }
    const bool infeasible = clock.time([&] {
      monitor.feasibility().look_at_velocities(run.report);
      return monitor.feasibility().became_infeasible();
    });
    if (infeasible && o.stop_when_infeasible) return false;
  }
  return false;
}

}  // namespace sunlagrange::internal
