#include "shared/record.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <nlohmann/json.hpp>

#include "shared/facts_json.hpp"
#include "shared/interruption.hpp"
#include "shared/json.hpp"
#include "shared/progress.hpp"

namespace sunlagrange::bench {
namespace {

/// NaN if the reference does not give this part, or if a value is not finite (lambda where rank was lost).
double largest_difference(const Eigen::VectorXd& computed, const Eigen::VectorXd& exact) {
  if (exact.size() == 0 || !computed.allFinite()) return Report::none;
  return (computed - exact).lpNorm<Eigen::Infinity>();
}

Json events_json(const std::vector<EventRecord>& events) {
  Json list = Json::array();
  for (const EventRecord& e : events) {
    Json json;
    set(json, "t", e.t);
    set(json, "name", e.name);
    set(json, "done", e.done);
    set(json, "velocity_violation_before", number_or_null(e.velocity_violation_before));
    set(json, "velocity_violation_after", number_or_null(e.velocity_violation_after));
    set(json, "kinetic_energy_before", number_or_null(e.kinetic_energy_before));
    set(json, "kinetic_energy_after", number_or_null(e.kinetic_energy_after));
    set(json, "moved_positions", number_or_null(e.moved_positions));
    set(json, "active_constraints", e.active_constraints);
    list.push_back(std::move(json));
  }
  return list;
}

Json observed_json(const std::vector<ObservedQuantity>& observed) {
  Json list = Json::array();
  for (const ObservedQuantity& o : observed) {
    Json json;
    set(json, "name", o.name);
    set(json, "unit", o.unit);
    set(json, "value", number_or_null(o.value));
    set(json, "error_vs_reference", number_or_null(o.error));
    set(json, "largest_error", number_or_null(o.largest_error));
    set(json, "rms_error", number_or_null(o.rms_error));
    set(json, "compared", o.compared);
    list.push_back(std::move(json));
  }
  return list;
}

Json doubts_json(const std::vector<Doubt>& doubts) {
  Json list = Json::array();
  for (const Doubt& d : doubts) {
    Json json;
    set(json, "kind", to_string(d.kind));
    set(json, "value", number_or_null(d.value));
    set(json, "allowed", number_or_null(d.allowed));
    set(json, "text", d.text);
    list.push_back(std::move(json));
  }
  return list;
}

Json mobility_json(const RedundancyReport& r) {
  Json json;
  set(json, "status", to_string(r.status.outcome));
  set(json, "rows", r.rows);
  set(json, "rank", r.rank);
  set(json, "redundant", r.redundant);
  set(json, "permanent", r.permanence_known() ? Json(r.permanent) : Json(nullptr));
  set(json, "degrees_of_freedom", r.degrees_of_freedom);
  set(json, "immobile", r.immobile);
  set(json, "singular_values", array(r.singular_values));
  set(json, "dependent", Json::array());
  for (const DependentConstraint& d : r.dependent) {
    Json dependent, relation = Json::array();
    for (const RelationTerm& term : d.relation) {
      Json part;
      set(part, "constraint", term.constraint);
      set(part, "coefficient", number_or_null(term.coefficient));
      relation.push_back(std::move(part));
    }
    set(dependent, "constraint", d.constraint);
    set(dependent, "permanent", r.permanence_known() ? Json(d.permanent) : Json(nullptr));
    set(dependent, "relation", std::move(relation));
    json["dependent"].push_back(std::move(dependent));
  }
  set(json, "lost", Json::array());
  for (const LostDirection& direction : r.lost) {
    Json lost, shares = Json::array();
    for (const ConstraintShare& s : direction.shares) {
      Json part;
      set(part, "constraint", s.constraint);
      set(part, "share", number_or_null(s.share));
      shares.push_back(std::move(part));
    }
    set(lost, "singular_value", number_or_null(direction.singular_value));
    set(lost, "shares", std::move(shares));
    json["lost"].push_back(std::move(lost));
  }
  return json;
}

Json scales_json(const RunFacts& used) {
  Json list = Json::array();
  for (const NaturalScale& s : used.natural_scales) {
    Json json;
    set(json, "scale", s.scale);
    set(json, "atol", used.step.has_value() ? Json(nullptr) : Json(used.tolerances.atol * s.scale));
    set(json, "coordinates", s.coordinates);
    list.push_back(std::move(json));
  }
  return list;
}

Json record_json(const RunRecord& r) {
  const Report& report = r.simulation.report;
  const Trajectory& path = r.simulation.trajectory;
  const std::size_t last = path.empty() ? 0 : path.size() - 1;
  Json json;
  set(json, "mechanism", r.mechanism);
  set(json, "formulation", r.options.formulation);
  set(json, "integrator", r.options.integrator);
  set(json, "used_formulation", report.used.formulation.empty() ? Json(nullptr) : Json(report.used.formulation));
  set(json, "used_integrator", report.used.formulation.empty() ? Json(nullptr) : Json(report.used.integrator.used));
  set(json, "baseline", r.baseline);
  set(json, "linear_solver", r.linear_solver);
  set(json, "rank_policy", to_string(r.options.linear_solver.rank_policy));
  set(json, "rtol", r.fixed_step ? Json(nullptr) : Json(r.options.rtol));
  set(json, "atol", r.fixed_step ? Json(nullptr) : Json(r.options.atol));
  set(json, "natural_scales", scales_json(report.used));
  set(json, "start", to_string(r.options.start));
  set(json, "step", r.fixed_step ? Json(r.options.step) : Json(nullptr));
  set(json, "status", to_string(r.simulation.status.outcome));
  set(json, "message", r.simulation.status.message);
  set(json, "doubts", doubts_json(r.simulation.status.doubts));
  set(json, "t_end", number_or_null(report.t_end));
  set(json, "t_reached", number_or_null(report.t_reached));
  set(json, "steps", report.steps);
  set(json, "rhs_evaluations", report.rhs_evaluations);
  set(json, "jacobian_evaluations", report.jacobian_evaluations);
  set(json, "factorizations", report.factorizations);
  set(json, "nonlinear_iterations", report.nonlinear_iterations);
  set(json, "nonlinear_failures", report.nonlinear_failures);
  set(json, "error_test_failures", report.error_test_failures);
  set(json, "max_position_violation", number_or_null(report.max_position_violation));
  set(json, "max_velocity_violation", number_or_null(report.max_velocity_violation));
  set(json, "energy_drift", number_or_null(report.energy_drift));
  set(json, "error_growth", number_or_null(report.error_growth));
  set(json, "t_error_growth", number_or_null(report.t_error_growth));
  set(json, "events", events_json(report.events));
  set(json, "event_work", number_or_null(report.event_work));
  set(json, "error_vs_reference", number_or_null(r.error_vs_reference));
  set(json, "velocity_error_vs_reference", number_or_null(r.velocity_error_vs_reference));
  set(json, "multiplier_error_vs_reference", number_or_null(r.multiplier_error_vs_reference));
  set(json, "observed", observed_json(r.observed));
  set(json, "wall_seconds", number_or_null(report.wall_seconds));
  set(json, "cpu_seconds", number_or_null(r.cpu_seconds));
  set(json, "monitoring_seconds", number_or_null(report.monitoring_seconds));
  set(json, "q_end", path.empty() ? Json(nullptr) : array(path.q(last)));
  set(json, "v_end", path.empty() ? Json(nullptr) : array(path.v(last)));
  set(json, "lambda_end", path.empty() ? Json(nullptr) : array(path.lambda(last)));
  set(json, "gains", gains_json(report.used));
  set(json, "asked_gains", asked_gains_json(report.used.asked_gains));
  set(json, "advice", advice_json(report.used.advice));
  set(json, "masked", masked_json(report.used.dae));
  set(json, "dae", dae_json(report.used.dae));
  set(json, "facts", facts_json(report.used.own));
  set(json, "linear_solver_description", report.used.linear_solver_description);
  set(json, "sources", sources_json(report.used));
  set(json, "missing_members", report.used.missing_members);
  set(json, "switched_off", report.used.switched_off);
  set(json, "watched_events", watched_events_json(report.used));
  set(json, "unread_settings", unread_settings_json(report.used));
  set(json, "statistics", facts_json(report.used.statistics));
  set(json, "pivot_refreshes", report.pivot_refreshes);
  set(json, "rank_actions", report.rank_actions);
  set(json, "smallest_singular_value", number_or_null(report.smallest_singular_value));
  set(json, "rank_events", rank_events_json(report.rank_events));
  if (r.mobility) json["mobility"] = mobility_json(*r.mobility);
  return json;
}

MotionState last_state(const Trajectory& path) {
  const std::size_t last = path.size() - 1;
  MotionState state;
  state.t = path.t(last);
  state.q = path.q(last);
  state.v = path.v(last);
  state.a = path.a(last);
  state.lambda = path.lambda(last);
  return state;
}

/// Errors over the reference times after the start; dense output, put back onto the constraints.
void compare_history(const Problem& problem, RunRecord& record) {
  const Trajectory& path = record.simulation.trajectory;
  const mechanisms::Mechanism& mechanism = problem.mechanism;
  std::vector<double> squares(mechanism.observables.size(), 0.0);
  for (const double t : mechanism.reference_times) {
    if (!(t > path.t(0)) || t > path.t(path.size() - 1)) continue;
    const MotionState state = consistent_state_at(path, mechanism.system, t).state;
    for (std::size_t k = 0; k < mechanism.observables.size(); ++k) {
      const mechanisms::Observable& observable = mechanism.observables[k];
      const auto exact = observable.reference ? observable.reference(t) : std::nullopt;
      if (!exact) continue;
      ObservedQuantity& o = record.observed[k];
      const double error = std::abs(observable.value(state) - *exact);
      o.largest_error = o.compared == 0 ? error : std::max(o.largest_error, error);
      squares[k] += error * error;
      ++o.compared;
      o.rms_error = std::sqrt(squares[k] / o.compared);
    }
  }
}

void compare_observables(const Problem& problem, RunRecord& record) {
  const Trajectory& path = record.simulation.trajectory;
  for (const mechanisms::Observable& observable : problem.mechanism.observables) {
    record.observed.push_back({observable.name, observable.unit});
    ObservedQuantity& o = record.observed.back();
    if (path.empty() || record.simulation.report.t_reached < record.options.t_end) continue;
    o.value = observable.value(last_state(path));
    const auto exact = observable.reference ? observable.reference(record.options.t_end) : std::nullopt;
    if (exact) o.error = std::abs(o.value - *exact);
  }
  if (record.options.record == Record::every_step && !path.empty()) compare_history(problem, record);
}

}  // namespace

bool is_fixed_step(const std::string& integrator) {
  for (const IntegratorInfo& entry : integrators()) {
    if (entry.name == integrator) return entry.fixed_step;
  }
  return false;
}

std::string resolved_integrator(const SimulationOptions& options) {
  if (options.integrator != "automatic") return options.integrator;
  if (options.table.has_value()) return "table";
  for (const FormulationInfo& entry : formulations()) {
    if (entry.name == options.formulation) return std::string(automatic_integrator(entry.name));
  }
  return options.integrator;
}

void compare_with_reference(const Problem& problem, RunRecord& record) {
  const Trajectory& path = record.simulation.trajectory;
  const double t_end = record.options.t_end;
  compare_observables(problem, record);
  const auto& reference = problem.reference(record.options.start);
  if (!reference || path.empty() || record.simulation.report.t_reached < t_end) return;
  const auto exact = reference(t_end);
  if (!exact) return;
  const std::size_t last = path.size() - 1;
  record.error_vs_reference = largest_difference(path.q(last), exact->q);
  record.velocity_error_vs_reference = largest_difference(path.v(last), exact->v);
  record.multiplier_error_vs_reference = largest_difference(path.lambda(last), exact->lambda);
}

void compare_with_position(const Eigen::VectorXd& exact, RunRecord& record) {
  const Trajectory& path = record.simulation.trajectory;
  if (path.empty() || record.simulation.report.t_reached < record.options.t_end) return;
  record.error_vs_reference = largest_difference(path.q(path.size() - 1), exact);
}

RunRecord run_problem(const Problem& problem, SimulationOptions options) {
  RunRecord record;
  {
    Progress progress(problem.name + ", " + options.formulation, problem.mechanism.start.t, options.t_end);
    SimulationOptions watched = options;
    watched.keep_going = [&progress](double t) {
      progress.show(t);
      return !interrupted();
    };
    const double begin = thread_cpu_seconds();
    record.simulation = simulate(problem.mechanism.system, problem.mechanism.start, watched);  // checks all names first
    record.cpu_seconds = thread_cpu_seconds() - begin;
  }
  options.integrator = resolved_integrator(options);
  record.options = options;
  record.mechanism = problem.name;
  record.fixed_step = is_fixed_step(options.integrator);
  record.linear_solver = problem.linear_solver();
  compare_with_reference(problem, record);
  return record;
}

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median_cpu_seconds(double first, const std::function<double()>& again, const Repetitions& repetitions) {
  std::vector<double> times = {first};
  double spent = first;
  while (static_cast<int>(times.size()) < repetitions.most && spent < repetitions.enough) {
    const double seconds = again();
    if (interrupted()) break;  // it may have ended early
    times.push_back(seconds);
    spent += seconds;
  }
  return median(std::move(times));
}

double median(std::vector<double> values) {
  if (values.empty()) return Report::none;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Json runs_json(const std::vector<RunRecord>& records) {
  Json runs = Json::array();
  for (const RunRecord& record : records) runs.push_back(record_json(record));
  return runs;
}

std::string document(const std::vector<RunRecord>& records) {
  Json result;
  set(result, "schema", 1);
  set(result, "runs", runs_json(records));
  return json_text(result);
}

int exit_code(const std::vector<RunRecord>& records) {
  int code = exit_finished;
  for (const RunRecord& record : records) {
    if (record.baseline) continue;
    if (!record.simulation.status.finished()) return exit_numerical_failure;
    if (!record.simulation.status.beyond_doubt()) code = exit_doubts;
  }
  return code;
}

}  // namespace sunlagrange::bench
