// SPDX-License-Identifier: BSD-3-Clause
#include "shared/record.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>

#include <nlohmann/json.hpp>

#include <sunlagrange/results/report_json.hpp>
#include <sunlagrange/simulation/stepper.hpp>

#include "shared/interruption.hpp"
#include "shared/json.hpp"
#include "shared/progress.hpp"
#include "shared/quantile.hpp"

namespace sunlagrange::program {
namespace {

/// NaN if the reference does not give this part, or if a value is not finite (lambda where rank was lost).
double largest_difference(const Eigen::VectorXd& computed, const Eigen::VectorXd& exact) {
  if (exact.size() == 0 || !computed.allFinite()) return Report::none;
  return (computed - exact).lpNorm<Eigen::Infinity>();
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

bool holds_constraints(const MechanicalSystem& system, const Simulation& run) {
  if (run.report.used.formulation.used.empty()) return false;  // it did not begin
  const Accuracy& accuracy = formulation(run.report.used.formulation.used).accuracy;
  if ((system.num_position_constraints() > 0 ? accuracy.positions : accuracy.velocities) == ConstraintAccuracy::drifts)
    return system.num_constraints() == 0;
  return std::none_of(run.status.doubts.begin(), run.status.doubts.end(), [](const Doubt& doubt) {
    return doubt.kind == DoubtKind::position_violation || doubt.kind == DoubtKind::velocity_violation;
  });
}

/// Returns everything of the report, and what the program adds to it.
Json record_json(const RunRecord& r) {
  Json json;
  set(json, "mechanism", r.mechanism);
  set(json, "notes", r.notes);
  set(json, "formulation", r.options.formulation);
  set(json, "integrator", r.options.integrator);
  const RunFacts& used = r.simulation.report.used;
  set(json, "used_formulation", used.formulation.used.empty() ? Json(nullptr) : Json(used.formulation.used));
  set(json, "used_integrator", used.formulation.used.empty() ? Json(nullptr) : Json(used.integrator.used));
  set(json, "baseline", r.baseline);
  set(json, "linear_solver", r.linear_solver);
  set(json, "rank_policy", to_string(r.options.linear_solver.rank_policy));
  set(json, "rtol", r.fixed_step ? Json(nullptr) : Json(r.options.rtol));
  set(json, "atol", r.fixed_step ? Json(nullptr) : Json(r.options.atol));
  set(json, "start", to_string(r.options.start));
  set(json, "max_step", number_or_null(r.fixed_step ? Report::none : r.simulation.report.used.max_step));
  set(json, "step", r.fixed_step ? Json(r.options.step) : Json(nullptr));
  set(json, "error_vs_reference", number_or_null(r.error_vs_reference));
  set(json, "velocity_error_vs_reference", number_or_null(r.velocity_error_vs_reference));
  set(json, "multiplier_error_vs_reference", number_or_null(r.multiplier_error_vs_reference));
  set(json, "holds_constraints", r.holds_constraints);
  set(json, "observed", observed_json(r.observed));
  set(json, "cpu_seconds", number_or_null(r.cpu_seconds));
  set(json, "cpu_seconds_with_estimate", number_or_null(r.cpu_seconds_with_estimate));
  const Json report = parsed(report_json(r.simulation));
  for (const auto& entry : report.items()) {
    if (!json.contains(entry.key())) json[entry.key()] = entry.value();
  }
  json["consistent_start"] = report.at("start");  // "start" is the option here
  if (r.mobility) json["mobility"] = parsed(figures_json(*r.mobility));
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

Checkpoint (*checkpoint_reader)(const std::string& file) = nullptr;
void (*checkpoint_writer)(const Checkpoint& checkpoint, const std::string& file) = nullptr;

namespace {

/// As simulate(), from and to checkpoints.
Simulation simulate(const Problem& problem, const SimulationOptions& options, const Checkpoints& checkpoints) {
  const auto& system = problem.mechanism.system;
  const InitialState& start = problem.mechanism.start;
  if (!checkpoints.resumed && checkpoints.file.empty()) return sunlagrange::simulate(system, start, options);
  Stepper stepper =
      checkpoints.resumed ? Stepper(system, *checkpoints.resumed, options) : Stepper(system, start, options);
  bool writes = !checkpoints.file.empty();
  const auto write = [&] {
    if (!writes) return;
    try {
      checkpoint_writer(stepper.save(), checkpoints.file);
    } catch (const Error& error) {  // no reason to lose the run
      writes = false;
      std::cerr << program_name() << ": --checkpoint: " << error.what() << "; the run goes on without checkpoints\n";
    }
  };
  constexpr std::chrono::seconds often(30);
  if (writes) checkpoint_writer(stepper.save(), checkpoints.file);
  for (auto written = std::chrono::steady_clock::now(); stepper.step();) {
    if (std::chrono::steady_clock::now() - written < often) continue;
    write();
    written = std::chrono::steady_clock::now();
  }
  write();
  return stepper.finish();
}

}  // namespace

RunRecord run_problem(const Problem& problem, SimulationOptions options, const Checkpoints& checkpoints) {
  RunRecord record;
  {
    const double t_start = checkpoints.resumed ? checkpoints.resumed->state.t : problem.mechanism.start.t;
    Progress progress(problem.name + ", " + options.formulation, t_start, options.t_end);
    SimulationOptions watched = options;
    watched.keep_going = [&progress](double t) {
      progress.show(t);
      return !interrupted();
    };
    const double begin = thread_cpu_seconds();
    record.simulation = simulate(problem, watched, checkpoints);  // checks all names first
    record.cpu_seconds = thread_cpu_seconds() - begin;
  }
  options.integrator = resolved_integrator(options);
  record.options = options;
  record.mechanism = problem.name;
  record.notes = problem.notes;
  record.fixed_step = is_fixed_step(options.integrator);
  record.linear_solver = problem.linear_solver();
  record.holds_constraints = holds_constraints(*problem.mechanism.system, record.simulation);
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
    if (!record.simulation.status.has_no_doubts()) code = exit_doubts;
  }
  return code;
}

}  // namespace sunlagrange::program
