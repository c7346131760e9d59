#include <sunlagrange/simulation/simulate.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>

#include "events/runner.hpp"
#include "formulation/formulation.hpp"
#include "simulation/automatic.hpp"
#include "simulation/doubts.hpp"
#include "simulation/loop.hpp"
#include "simulation/monitor.hpp"
#include "simulation/options.hpp"
#include "sundials/stepper.hpp"

namespace sunlagrange {

using namespace internal;
namespace internal {
namespace {

/// Adds what one stepper has counted.
void collect_counts(Stepper& stepper, Report& report) {
  const StepperCounts c = stepper.counts();
  const AttachmentCounts a = stepper.attachment().counts();
  report.error_test_failures += c.error_test_failures;
  report.nonlinear_failures += c.nonlinear_failures;
  report.nonlinear_iterations += c.nonlinear_iterations;
  report.rhs_evaluations += a.rhs_evaluations;
  report.jacobian_evaluations += a.jacobian_evaluations;
  report.factorizations += a.factorizations;
  report.pivot_refreshes += a.pivot_refreshes;
  report.rank_actions += a.rank_events;
  report.unconverged += a.unconverged;
}

EventOptions event_options(const SimulationOptions& o) {
  EventOptions options;
  static_cast<GainOptions&>(options) = o;
  options.events = o.events;
  options.inactive_constraints = o.inactive_constraints;
  if (find_integrator(o.integrator).fixed_step) options.step = o.step;
  options.t_end = o.t_end;
  options.start = o.start;
  return options;
}

/// From the start to the end: one stepper from each event that changes something to the next.
class Run {
 public:
  Run(const MechanicalSystem& system, const SimulationOptions& asked, const SimulationOptions& used,
      EventRunner& events, Simulation& result)
      : system_(system), asked_(asked), o_(used), events_(events), run_(result) {}

  void from(const ConsistentState& start) {
    RunMonitor& monitor = monitor_.emplace(events_.system(), events_.rows(), o_, run_);
    accept(start.state, monitor);
    if (!can_start_from(start.report, o_.start)) {
      run_.status = start.report.status;
      return;
    }
    bool going = events_.begin(start.state) != EventRunner::Verdict::stop;
    if (!going) run_.status = events_.status();
    enter_new_state(monitor);
    while (going && events_.restart_state().t < o_.t_end) {
      make_stepper();
      integrating_ = true;
      going = integrate(*stepper_, monitor, events_, o_, run_);
      enter_new_state(monitor);
    }
    if (const std::optional<Status>& infeasible = monitor.feasibility().found()) {
      const bool more = !run_.status.finished() || !run_.status.message.empty();
      run_.status = {Outcome::infeasible, infeasible->message + (more ? "; then: " + run_.status.message : "")};
    }
    monitor.finish();
    if (run_.status.finished() && monitor.inertia().found()) run_.status = *monitor.inertia().found();
    if (run_.status.finished() && o_.at_singularity == AtSingularity::stop && !run_.report.rank_events.empty()) {
      run_.status = stopped_at(run_.report.rank_events.front());  // inside the last step
    } else if (run_.status.finished()) {
      const Status passages = judge_passages(run_.report, o_.formulation, o_.linear_solver.rank_policy);
      run_.status.outcome = passages.outcome;
      run_.status.message += (run_.status.message.empty() || passages.message.empty() ? "" : "; ") + passages.message;
    }
    const std::string weakest = monitor.weakest_constraint();
    if (run_.status.outcome == Outcome::rank_loss && !weakest.empty())
      run_.status.message += "; weakest constraint \"" + weakest + "\"";
  }

  /// Why formulation and integrator were chosen.
  void because(Fact reason) { reason_ = std::move(reason); }

  /// Misuse is found before.
  bool integrating() const { return integrating_; }

  /// What events and the last stepper have to report; the last state of the trajectory.
  void close() {
    try {
      if (monitor_.has_value()) monitor_->keep_end();
    } catch (const std::bad_alloc&) {
      run_.report.t_reached = run_.trajectory.t(run_.trajectory.size() - 1);
    }
    run_.report.events = events_.records();
    run_.report.event_work = events_.total_work();
    if (stepper_ == nullptr) return;
    leave_stepper();
    run_.report.used.statistics = stepper_->attachment().statistics();
    run_.report.used.has_stretches = stretches_ > 1;
  }

 private:
  void accept(const MotionState& s, RunMonitor& monitor) { monitor.accept(s.t, s.q.data(), s.v.data(), nullptr); }

  void enter_new_state(RunMonitor& monitor) {
    if (!events_.settled()) return;
    monitor.restart(events_.system(), events_.rows(), events_.work());
    accept(events_.restart_state(), monitor);
  }

  void make_stepper() {
    StepperOptions options;
    const IntegratorEntry& entry = find_integrator(o_.integrator);
    options.attach = {{o_, {hint(entry), o_.t_end - run_.report.t_start}}, true, o_.ida};
    events_.restrict_to_active_rows(options.attach);
    options.step = o_.step;
    options.t_end = o_.t_end;
    options.table = o_.table.has_value() ? &*o_.table : nullptr;
    if (!o_.events.empty()) options.roots = events_.roots();
    if (stepper_ != nullptr) leave_stepper();
    stepper_ = entry.make(entry, events_.system(), events_.restart_state(), options);
  }

  /// What automatic gains may know. Options and registry outlive the stepper.
  IntegratorHint hint(const IntegratorEntry& entry) const {
    return {entry.kind, o_.step, std::shared_ptr<const ButcherTable>(std::shared_ptr<void>(), fixed_step_table(o_))};
  }

  void leave_stepper() {
    collect_counts(*stepper_, run_.report);
    if (++stretches_ == 1) {
      run_.report.used = facts_of(system_, asked_, o_, *stepper_);
      if (reason_.has_value()) run_.report.used.own.push_back(*reason_);
    }
  }

  const MechanicalSystem& system_;
  const SimulationOptions& asked_;
  const SimulationOptions& o_;
  EventRunner& events_;
  Simulation& run_;
  std::optional<RunMonitor> monitor_;
  std::unique_ptr<Stepper> stepper_;
  std::optional<Fact> reason_;
  long stretches_ = 0;
  bool integrating_ = false;
};

}  // namespace
}  // namespace internal

Simulation simulate(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                    const SimulationOptions& asked) {
  if (system == nullptr) throw Error("simulate: the system is null; build it with make_system() or Assembly::build()");
  SimulationOptions o = validated(*system, given, asked);
  const auto begin = std::chrono::steady_clock::now();
  EventRunner events(system, event_options(o), given);
  Simulation result;
  result.trajectory = Trajectory(system->num_positions(), system->num_constraints());
  result.report.t_start = result.report.t_reached = given.t;
  result.report.t_end = o.t_end;
  Run run(*system, asked, o, events, result);
  const auto threw = [&result](const std::string& what) {
    result.status = {Outcome::model_error, "the model threw" + what};
  };
  const auto when = [&result] { return " at t = " + text(result.report.t_reached) + ": "; };
  try {
    ConsistencyOptions consistency;
    consistency.start = o.start;
    consistency.linear_solver = o.linear_solver;
    const ConsistentState start = consistent_state(events.system(), given, consistency);
    result.report.start = start.report;
    if (asked.formulation == "automatic" && start.report.status.outcome == Outcome::finished) {
      MethodChoice choice = choose_method(system, asked, start);
      o.formulation = choice.formulation;
      o.integrator = choice.integrator;
      run.because(std::move(choice.reason));
    }
    result.report.references = std::string(find_formulation(o.formulation).references) + " " +
                               std::string(find_integrator(o.integrator).references);
    run.from(start);
  } catch (const Error& error) {
    if (!run.integrating()) throw;  // misuse
    threw(when() + error.what());
  } catch (const std::bad_alloc&) {
    result.status = {Outcome::out_of_memory,
                     "no memory left at t = " + text(result.report.t_reached) + ", after " +
                         std::to_string(result.report.steps) + " steps, " + std::to_string(result.trajectory.size()) +
                         " states kept; record fewer: Record::every_kth_step, at_times or ends_only"};
  } catch (const std::exception& error) {
    threw(when() + error.what());
  } catch (...) {
    threw(" something unknown at t = " + text(result.report.t_reached));
  }
  run.close();
  if (result.status.finished()) result.status.doubts = doubts_about(*system, result.report, o);
  result.report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
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
