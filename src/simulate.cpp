#include <sunlagrange/simulate.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <sunlagrange/catalogue.hpp>

#include "formulation/formulation.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "simulate_monitor.hpp"
#include "sundials/stepper.hpp"

namespace sunlagrange {
namespace {

/// Looks a name up, keeping the complaint instead of throwing it.
template <class Find>
auto lookup(Find&& find, const std::string& name, std::string& problems) -> decltype(&find(name)) {
  try {
    return &find(name);
  } catch (const Error& error) {
    problems += std::string(error.what()) + "\n";
    return nullptr;
  }
}

/// The table must be there exactly if the integrator "table" reads it, and be a method.
void check_table(const SimulationOptions& o, std::string& problems) {
  const bool used = o.integrator == "table";
  if (used && !o.table.has_value()) problems += "integrator = table: give the Butcher table in the option table\n";
  if (!o.table.has_value()) return;
  if (!used) {
    problems +=
        "table: the integrator " + o.integrator + " does not use it; choose the integrator table, or automatic\n";
  }
  for (const std::string& problem : o.table->problems())
    problems += "table \"" + o.table->name + "\": " + problem + "\n";
}

/// Replaces "automatic" and lists every invalid option at once.
SimulationOptions validated(const MechanicalSystem& system, const InitialState& given, SimulationOptions o) {
  std::string problems;
  const auto require = [&problems](bool good, const std::string& complaint) {
    if (!good) problems += complaint + "\n";
  };
  const FormulationEntry* formulation = lookup(find_formulation, o.formulation, problems);
  if (o.integrator == "automatic" && formulation != nullptr) {
    o.integrator = o.table.has_value() ? "table" : std::string(automatic_integrator(o.formulation));
  }
  const IntegratorEntry* integrator = lookup(find_integrator, o.integrator, problems);
  if (o.linear_solver.name != "automatic") {
    const LinearSolverEntry* solver = lookup(find_linear_solver, o.linear_solver.name, problems);
    require(solver == nullptr || solver->available,
            "linear_solver = " + o.linear_solver.name + ": not built in; configure with KLU (libsuitesparse-dev)");
  }
  if (formulation != nullptr && integrator != nullptr) {
    const LinearSolverOptions solver =
        resolve_linear_solver(o.linear_solver, system.num_positions(), system.num_constraints());
    const std::string complaint = objection(o.formulation, system, solver.name, o.integrator);
    require(complaint.empty(), complaint);
    require(!integrator->fixed_step || (o.step > 0.0 && std::isfinite(o.step)),
            "step = " + text(o.step) + ": the fixed-step integrator " + o.integrator + " needs step > 0");
  }
  check_table(o, problems);
  require(o.t_end > given.t && std::isfinite(o.t_end),
          "t_end = " + text(o.t_end) + ": must be later than the start, t = " + text(given.t));
  require(o.rtol > 0.0 && o.rtol < 1.0, "rtol = " + text(o.rtol) + ": must be in (0, 1)");
  require(o.atol > 0.0 && std::isfinite(o.atol), "atol = " + text(o.atol) + ": must be positive");
  require(o.max_steps > 0, "max_steps = " + std::to_string(o.max_steps) + ": must be positive");
  require(o.linear_solver.rank_threshold > 0.0 && o.linear_solver.rank_threshold < 1.0,
          "rank_threshold = " + text(o.linear_solver.rank_threshold) + ": must be in (0, 1)");
  require(o.linear_solver.regularization > 0.0 && o.linear_solver.regularization < 1.0,
          "regularization = " + text(o.linear_solver.regularization) + ": must be in (0, 1)");
  const int m_g = system.num_position_constraints();
  const int m_psi = system.num_velocity_constraints();
  const auto gain = [&](const Gain& g, const char* field, int m, bool allow_zero) {
    if (g.automatic()) return;
    try {
      g.matrix(m, field, allow_zero);
    } catch (const Error& error) {
      problems += std::string(error.what()) + "\n";
    }
  };
  gain(o.gains.K_D, "K_D", m_g, true);
  gain(o.gains.K_P, "K_P", m_g, true);
  gain(o.gains.K_N, "K_N", m_psi, true);
  gain(o.gains.Lambda, "Lambda", m_g + m_psi, false);
  if (!problems.empty()) throw Error("invalid simulation options:\n" + problems.substr(0, problems.size() - 1));
  o.linear_solver = resolve_linear_solver(o.linear_solver, system.num_positions(), m_g + m_psi);
  return o;
}

const char* policy_name(RankPolicy policy) {
  switch (policy) {
    case RankPolicy::strict:
      return "strict";
    case RankPolicy::minimum_norm:
      return "minimum_norm";
    case RankPolicy::regularized:
      return "regularized";
  }
  return "";
}

void describe_settings(const MechanicalSystem& system, const SimulationOptions& asked, const SimulationOptions& used,
                       Stepper& stepper, Report& report) {
  Settings& s = report.settings;
  s.push_back({"formulation", asked.formulation, used.formulation});
  s.push_back({"integrator", asked.integrator, used.integrator});
  if (used.table.has_value()) {
    s.push_back({"table", used.table->name,
                 "order " + std::to_string(used.table->order) + ", stages " + std::to_string(used.table->stages())});
  }
  if (find_integrator(used.integrator).fixed_step)
    s.push_back({"step", text(asked.step), text(used.step)});
  else
    s.push_back({"rtol, atol", text(asked.rtol) + ", " + text(asked.atol), text(used.rtol) + ", " + text(used.atol)});
  s.push_back({"linear solver", asked.linear_solver.name, stepper.attachment().linear_solver_description()});
  s.push_back(
      {"rank policy", policy_name(asked.linear_solver.rank_policy), policy_name(used.linear_solver.rank_policy)});
  for (const Setting& setting : stepper.attachment().settings()) s.push_back(setting);
  for (const Setting& setting : stepper.attachment().statistics()) s.push_back(setting);
  for (const auto& [quantity, source] : system.sources()) s.push_back({quantity, "", source});
}

void collect_counts(Stepper& stepper, Report& report) {
  const StepperCounts c = stepper.counts();
  const AttachmentCounts a = stepper.attachment().counts();
  report.error_test_failures = c.error_test_failures;
  report.nonlinear_failures = c.nonlinear_failures;
  report.rhs_evaluations = a.rhs_evaluations;
  report.jacobian_evaluations = a.jacobian_evaluations;
  report.factorizations = a.factorizations;
  report.pivot_refreshes = a.pivot_refreshes;
  report.rank_actions = a.rank_events;
}

/// Recognises a crawl: recoverable failures (lost rank, declined points) again and again while the steps shrink to
/// nothing. CVODE never gives up there, because each tiny step succeeds after a few attempts.
class StallWatch {
 public:
  explicit StallWatch(double t_span) : tiny_step_(1e-8 * t_span) {}

  bool stalled(Stepper& stepper, double step) {
    const AttachmentCounts c = stepper.attachment().counts();
    const long failures = c.declined + c.rank_losses + c.singular + c.not_finite;
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

/// A run through singular configurations is a plain success only if every passage was seen to be smooth.
Status judged(const Report& report) {
  if (report.rank_events.empty()) return {};
  const auto worst = [&](Passage passage) {
    return std::find_if(report.rank_events.begin(), report.rank_events.end(),
                        [&](const RankEvent& e) { return e.passage == passage; });
  };
  const auto jumped = worst(Passage::jumped);
  const auto unverified = worst(Passage::unverified);
  const bool smooth = jumped == report.rank_events.end() && unverified == report.rank_events.end();
  const RankEvent& e = jumped != report.rank_events.end()       ? *jumped
                       : unverified != report.rank_events.end() ? *unverified
                                                                : report.rank_events.front();
  Status status;
  status.message = "passed " + std::to_string(report.rank_events.size()) + " nearly singular configuration" +
                   (report.rank_events.size() == 1 ? "" : "s");
  if (smooth) {
    status.message += ", all smoothly (first at t = " + text(e.t) + ", constraint \"" + e.constraint + "\")";
    return status;
  }
  status.outcome = Outcome::uncertain_branch;
  status.message += e.passage == Passage::jumped ? "; the velocity jumped at t = " + text(e.t) + " by " + text(e.kink) +
                                                       " of its size: the motion left the smooth branch"
                                                 : "; at t = " + text(e.t) + " it could not be verified that the " +
                                                       "motion stayed on its branch";
  status.message +=
      ", constraint \"" + e.constraint + "\"; use formulation ggl, stabilized_index1 or penalty, or tighter tolerances";
  if (std::isfinite(report.energy_drift)) status.message += "; energy drift " + text(report.energy_drift) + " J";
  return status;
}

/// A hint where a nearly singular configuration is the likely reason for tiny steps.
std::string near_singular(const Report& report) {
  if (report.rank_events.empty() ||
      report.rank_events.back().t < report.t_reached - 1e-2 * (report.t_end - report.t_start))
    return "";
  return "; the configuration is nearly singular there, constraint \"" + report.rank_events.back().constraint +
         "\": try linear solver dense with rank policy minimum_norm, or formulation penalty";
}

/// A violation above this, relative to the size of the start, is no solution of anything.
constexpr double diverged = 1e3;

/// The loop over accepted steps.
void integrate(Stepper& stepper, RunMonitor& monitor, const SimulationOptions& o, Simulation& run) {
  double last_step = 0.0;
  const int n = run.trajectory.num_positions();
  Eigen::VectorXd q(n), v(n), a(n);
  bool a_known = false;
  StallWatch stall(o.t_end - run.report.t_start);
  bool infeasible = false;
  Status story;
  while (stepper.time() < o.t_end) {
    if (run.report.steps >= o.max_steps) {
      run.status = {Outcome::step_limit, "max_steps = " + std::to_string(o.max_steps) +
                                             " accepted steps reached at t = " + text(stepper.time()) +
                                             "; raise max_steps, loosen the tolerances or check the gains" +
                                             near_singular(run.report)};
      break;
    }
    const double before = stepper.time();
    Status status;
    if (!stepper.step(status)) {
      run.status = status;
      if (status.outcome == Outcome::integrator_failure) run.status.message += near_singular(run.report);
      if (status.outcome != Outcome::model_error && !infeasible &&
          monitor.motion_ends_here(last_step, 1e-3 * (o.t_end - run.report.t_start), story)) {
        run.status = {Outcome::infeasible, story.message + " (" + status.message + ")"};
      }
      break;
    }
    last_step = stepper.time() - before;
    ++run.report.steps;
    if (run.report.steps == 1 && stepper.motion(before, q.data(), v.data(), a.data(), a_known) && a_known) {
      monitor.set_start_acceleration(a.data(), run);
    }
    stepper.motion(stepper.time(), q.data(), v.data(), a.data(), a_known);
    monitor.accept(stepper.time(), q.data(), v.data(), a_known ? a.data() : nullptr, run);
    if (!(monitor.divergence() < diverged)) {
      run.status = {
          Outcome::integrator_failure,
          "the solution diverged at t = " + text(stepper.time()) +
              ", max |g| = " + text(run.report.max_position_violation) +
              ": shorten the step, lower the gains (gain x step against the stability limit of the method) or "
              "use an adaptive integrator"};
      break;
    }
    if (stall.stalled(stepper, last_step)) {
      run.status =
          stepper.attachment().explain("the step size fell to " + text(last_step) + " at t = " + text(stepper.time()));
      break;
    }
    if (!infeasible && monitor.became_infeasible(run, story)) {
      infeasible = true;
      if (o.stop_when_infeasible) {
        run.status = story;
        return;
      }
    }
  }
  if (infeasible)
    run.status = {Outcome::infeasible, story.message + (run.status.finished() ? "" : "; then: " + run.status.message)};
}

}  // namespace

Simulation simulate(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                    const SimulationOptions& asked) {
  if (system == nullptr) throw Error("simulate: the system is null; build it with make_system() or Assembly::build()");
  const SimulationOptions o = validated(*system, given, asked);
  const auto begin = std::chrono::steady_clock::now();
  Simulation run;
  run.trajectory = Trajectory(system->num_positions(), system->num_constraints());
  run.report.t_start = run.report.t_reached = given.t;
  run.report.t_end = o.t_end;
  run.report.references = std::string(find_formulation(o.formulation).references) + " " +
                          std::string(find_integrator(o.integrator).references);
  std::unique_ptr<Stepper> stepper;
  bool integrating = false;
  try {
    ConsistencyOptions consistency;
    consistency.start = o.start;
    consistency.linear_solver = o.linear_solver;
    const ConsistentState start = consistent_state(system, given, consistency);
    run.report.start = start.report;
    RunMonitor monitor(system, o);
    const MotionState& s = start.state;
    monitor.accept(s.t, s.q.data(), s.v.data(), nullptr, run);
    const bool usable = start.report.accelerations_known || (o.start == Start::as_given && start.report.feasible &&
                                                             start.report.status.outcome == Outcome::rank_loss);
    if (!usable) {
      run.status = start.report.status;
    } else {
      StepperOptions options;
      options.attach = {o.formulation, o.gains, o.linear_solver, o.rtol, o.atol, o.t_end - given.t, true};
      options.step = o.step;
      options.t_end = o.t_end;
      options.table = o.table.has_value() ? &*o.table : nullptr;
      const IntegratorEntry& entry = find_integrator(o.integrator);
      stepper = entry.make(entry, system, s, options);
      integrating = true;
      integrate(*stepper, monitor, o, run);
      if (run.status.finished()) run.status = judged(run.report);
      const std::string weakest = monitor.weakest_constraint();
      if (run.status.outcome == Outcome::rank_loss && !weakest.empty())
        run.status.message += "; weakest constraint \"" + weakest + "\"";
      monitor.finish(run);
    }
  } catch (const Error& error) {
    if (!integrating) throw;  // misuse
    run.status = {Outcome::model_error, "the model threw at t = " + text(run.report.t_reached) + ": " + error.what()};
  } catch (const std::exception& error) {
    run.status = {Outcome::model_error, "the model threw at t = " + text(run.report.t_reached) + ": " + error.what()};
  } catch (...) {
    run.status = {Outcome::model_error, "the model threw something unknown at t = " + text(run.report.t_reached)};
  }
  if (stepper != nullptr) {
    describe_settings(*system, asked, o, *stepper, run.report);
    collect_counts(*stepper, run.report);
  }
  run.report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return run;
}

}  // namespace sunlagrange
