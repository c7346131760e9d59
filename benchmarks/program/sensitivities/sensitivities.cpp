#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include <sunlagrange/analysis/gradient.hpp>
#include <sunlagrange/analysis/sensitivities.hpp>
#include <sunlagrange/analysis/write_html.hpp>

#include "commands.hpp"
#include "shared/json.hpp"
#include "shared/output.hpp"
#include "shared/problem.hpp"
#include "shared/table.hpp"
#include "shared/text.hpp"

#include <nlohmann/json.hpp>

/// How the motion of a registered mechanism or a model file changes with its parameters and start values.
namespace sunlagrange::bench {
namespace {

constexpr double differences_lose = 10.0;  // tolerances, by which what they come to may be off

struct SensitivitiesArguments {
  ProblemArguments problem;
  std::vector<std::string> parameters, start_positions, start_velocities;
  bool list = false;
  std::string formulation;
  std::string method = "staggered";
  double rtol = std::numeric_limits<double>::quiet_NaN();
  int points = not_given;
  std::string html;
  bool no_error_control = false;
  bool check = false;
  std::string functional;
};

/// What central differences of runs give at the end, and what everything costs.
struct Differences {
  Eigen::MatrixXd q;         ///< dq/dp, n x p; NaN where a run did not finish
  double run_seconds = 0.0;  ///< of one run without sensitivities
  double seconds = 0.0;      ///< of all runs of the differences
};

Json parameter_json(const SystemParameter& parameter) {
  Json json;
  set(json, "name", parameter.name);
  set(json, "value", parameter.value);
  set(json, "unit", parameter.unit);
  set(json, "meaning", parameter.meaning);
  return json;
}

Json matrix_json(const Eigen::MatrixXd& x) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < x.cols(); ++i) rows.push_back(array(x.col(i)));
  return rows;
}

SensitivityOptions wanted_by(const SensitivitiesArguments& a, const Problem& problem) {
  SensitivityOptions wanted;
  wanted.parameters = a.parameters;
  wanted.start_positions = a.start_positions;
  wanted.start_velocities = a.start_velocities;
  wanted.method = a.method == "staggered" ? SensitivityMethod::staggered : SensitivityMethod::simultaneous;
  wanted.error_control = !a.no_error_control;
  const int points = a.points != not_given ? a.points : a.html.empty() ? 2 : 201;
  if (points < 2) throw Error("--points " + std::to_string(points) + ": at least 2, the ends");
  const double begin = problem.mechanism.start.t, end = problem.options.t_end;
  for (int k = 0; k + 1 < points; ++k) wanted.times.push_back(begin + (end - begin) * k / (points - 1));
  wanted.times.push_back(end);
  return wanted;
}

SimulationOptions options_of(const SensitivitiesArguments& a, const Problem& problem) {
  const std::string formulation = a.formulation.empty() ? problem.default_formulation() : a.formulation;
  SimulationOptions options = problem.options_with(formulation);
  if (!a.formulation.empty() || !problem.from_file) set_formulation(options, formulation);
  if (!std::isnan(a.rtol) || !std::isnan(a.problem.atol) || !problem.from_file)
    set_tolerances(options, a.rtol, a.problem.atol);
  return options;
}

using SystemPointer = std::shared_ptr<const MechanicalSystem>;

/// Central difference of what `end_of(system, start)` says, by one parameter or start value, from the consistent start.
template <class EndOf>
auto central_difference(const SystemParameter& about, const SystemPointer& system, const InitialState& from,
                        const EndOf& end_of) {
  constexpr double relative_step = 1e-4;
  const bool q_start = about.name.rfind("q(", 0) == 0, v_start = about.name.rfind("v(", 0) == 0;
  const double step = relative_step * (about.value != 0.0 ? std::abs(about.value) : 1.0);
  const auto moved = [&](double change) {
    if (!q_start && !v_start) return end_of(with_parameters(system, {{about.name, about.value + change}}), from);
    InitialState begin = from;
    const int j = system->position_indices(about.name.substr(2, about.name.size() - 3)).front();
    (q_start ? begin.q : begin.v)[j] += change;
    return end_of(system, begin);
  };
  const auto up = moved(step), down = moved(-step);
  return decltype(end_of(system, from))((up - down) / (2.0 * step));
}

/// Central differences with steps of 1e-4 from the consistent start.
Differences differences_of(const Sensitivities& found, const std::shared_ptr<const MechanicalSystem>& system,
                           const InitialState& given, SimulationOptions options) {
  options.record = Record::ends_only;
  const MotionState& start = found.points.front().state;
  InitialState from = given;
  from.q = start.q;
  from.v = start.v;
  Differences result;
  const auto end_of = [&](const std::shared_ptr<const MechanicalSystem>& changed, const InitialState& begin) {
    const Simulation run = simulate(changed, begin, options);
    Eigen::VectorXd end = Eigen::VectorXd::Constant(system->num_positions(), std::numeric_limits<double>::quiet_NaN());
    if (run.status.finished()) end = run.trajectory.q(run.trajectory.size() - 1);
    return end;
  };
  const auto timed = [](double& seconds, const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  timed(result.run_seconds, [&] { end_of(system, from); });
  result.q.resize(system->num_positions(), static_cast<Eigen::Index>(found.parameters.size()));
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    timed(result.seconds, [&] {
      result.q.col(static_cast<Eigen::Index>(i)) = central_difference(found.parameters[i], system, from, end_of);
    });
  }
  return result;
}

/// Of a derivative at the end from that by differences, in words; both are nothing where the change of q by the whole
/// parameter is below the tolerances of the runs.
std::string distance_in_words(const Sensitivities& found, const Differences& check, std::size_t k,
                              const SimulationOptions& options) {
  const auto column = static_cast<Eigen::Index>(k);
  const Eigen::VectorXd x = found.points.back().q.col(column), y = check.q.col(column);
  const double parameter = found.parameters[k].value != 0.0 ? std::abs(found.parameters[k].value) : 1.0;
  const double size = found.points.back().state.q.lpNorm<Eigen::Infinity>();
  const double least = differences_lose * (options.atol + options.rtol * size) / parameter;
  const double largest = std::max(x.lpNorm<Eigen::Infinity>(), y.lpNorm<Eigen::Infinity>());
  if (largest <= least) return "both below what the tolerances leave open, " + number(least, ".1e");
  return "relative distance at the end " + number((x - y).lpNorm<Eigen::Infinity>() / largest, ".1e");
}

std::string document(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options,
                     const Sensitivities& found, const Differences* check) {
  Json json;
  set(json, "schema", 1);
  set(json, "mechanism", problem.name);
  set(json, "formulation", options.formulation);
  set(json, "method", a.method);
  set(json, "error_control", !a.no_error_control);
  set(json, "rtol", options.rtol);
  set(json, "atol", options.atol);
  set(json, "status", to_string(found.status.outcome));
  set(json, "message", found.status.message);
  Json parameters = Json::array();
  for (const SystemParameter& parameter : found.parameters) parameters.push_back(parameter_json(parameter));
  json["parameters"] = std::move(parameters);
  set(json, "constraint_error", found.constraint_error);
  set(json, "steps", found.steps);
  set(json, "rhs_evaluations", found.rhs_evaluations);
  set(json, "sensitivity_evaluations", found.sensitivity_evaluations);
  set(json, "wall_seconds", found.wall_seconds);
  Json points = Json::array();
  for (const SensitivityPoint& point : found.points) {
    Json at;
    set(at, "t", point.state.t);
    at["q"] = array(point.state.q);
    at["v"] = array(point.state.v);
    at["lambda"] = array(point.state.lambda);
    at["dq"] = matrix_json(point.q);
    at["dv"] = matrix_json(point.v);
    at["da"] = matrix_json(point.a);
    at["dlambda"] = matrix_json(point.lambda);
    points.push_back(std::move(at));
  }
  json["points"] = std::move(points);
  json["differences"] = Json();
  if (check != nullptr) {
    Json differences;
    differences["dq"] = matrix_json(check->q);
    set(differences, "run_seconds", check->run_seconds);
    set(differences, "wall_seconds", check->seconds);
    json["differences"] = std::move(differences);
  }
  return json_text(json);
}

void print(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options,
           const Sensitivities& found, const Differences* check) {
  const std::size_t width = output_width(false);
  const MechanicalSystem& system = *problem.mechanism.system;
  print_wrapped(problem.description(), width);
  for (const SensitivityPoint& point : found.points) {
    const bool end = &point == &found.points.front() || &point == &found.points.back();
    if (a.points == not_given && !end) continue;  // for the curves of --html
    std::cout << "t = " << number(point.state.t, ".6g") << " s\n";
    std::vector<Column> columns = {{"d/dp", Align::left}};
    for (int i = 0; i < system.num_positions(); ++i) columns.push_back({system.position_name(i), Align::right, 1 + i});
    Table table(columns, width);
    std::vector<Table::Row> rows;
    for (std::size_t i = 0; i < found.parameters.size(); ++i) {
      Table::Row row = {found.parameters[i].name};
      for (const double entry : point.q.col(static_cast<Eigen::Index>(i))) row.push_back(number(entry, ".6g"));
      rows.push_back(std::move(row));
    }
    std::cout << table.text(rows);
  }
  if (!found.status.message.empty()) print_wrapped(found.status.message, width);
  if (!found.status.finished()) return;
  print_wrapped(std::to_string(found.steps) + " steps, " + std::to_string(found.sensitivity_evaluations) +
                    " evaluations of the sensitivities; G dq/dp + dg/dp relative " +
                    number(found.constraint_error, ".1e"),
                width);
  if (check == nullptr) return;
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    print_wrapped("central differences of runs, " + found.parameters[i].name + ": " +
                      distance_in_words(found, *check, i, options),
                  width);
  }
  const auto count = static_cast<double>(found.parameters.size());
  print_wrapped("cost: one run " + number(check->run_seconds, ".3g") + " s; each parameter " +
                    number((found.wall_seconds - check->run_seconds) / count / check->run_seconds, ".2f") +
                    " runs, by differences " + number(check->seconds / count / check->run_seconds, ".2f"),
                width);
}

int list_parameters(const SensitivitiesArguments& a, const Problem& problem) {
  const std::vector<SystemParameter> all = system_parameters(*problem.mechanism.system);
  if (a.problem.json) {
    Json json, parameters = Json::array();
    set(json, "schema", 1);
    set(json, "mechanism", problem.name);
    for (const SystemParameter& parameter : all) parameters.push_back(parameter_json(parameter));
    json["parameters"] = std::move(parameters);
    std::cout << json_text(json);
    return exit_finished;
  }
  Table table({{"parameter", Align::left}, {"value"}, {"unit", Align::left}, {"meaning", Align::left, 1}},
              output_width(false));
  std::vector<Table::Row> rows;
  for (const SystemParameter& parameter : all)
    rows.push_back({parameter.name, number(parameter.value, ".10g"), parameter.unit, parameter.meaning});
  std::cout << table.text(rows);
  return exit_finished;
}

/// Central differences of the value, NaN where a run did not finish.
Eigen::VectorXd differences_of(const Gradient& found, const SystemPointer& system, const InitialState& given,
                               const SimulationOptions& options, const Functional& functional) {
  InitialState from = given;
  ConsistencyOptions consistency;
  consistency.start = options.start;
  const MotionState start = consistent_state(system, given, consistency).state;
  from.q = start.q;
  from.v = start.v;
  GradientOptions one;
  const std::string& first = found.parameters.front().name;  // the value is wanted, any column will do
  const std::string within = first.size() > 3 ? first.substr(2, first.size() - 3) : first;
  if (first.rfind("q(", 0) == 0)
    one.start_positions = {within};
  else if (first.rfind("v(", 0) == 0)
    one.start_velocities = {within};
  else
    one.parameters = {first};
  const auto value_of = [&](const SystemPointer& changed, const InitialState& begin) {
    const Gradient run = gradient(changed, begin, options, functional, one);
    return run.status.finished() ? run.value : std::numeric_limits<double>::quiet_NaN();
  };
  Eigen::VectorXd result(found.gradient.size());
  for (Eigen::Index i = 0; i < result.size(); ++i)
    result[i] = central_difference(found.parameters[static_cast<std::size_t>(i)], system, from, value_of);
  return result;
}

std::string document(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options,
                     const Gradient& found, const Eigen::VectorXd* check) {
  Json json;
  set(json, "schema", 1);
  set(json, "mechanism", problem.name);
  set(json, "formulation", options.formulation);
  set(json, "functional", a.functional);
  set(json, "rtol", options.rtol);
  set(json, "atol", options.atol);
  set(json, "status", to_string(found.status.outcome));
  set(json, "message", found.status.message);
  set(json, "value", found.value);
  Json parameters = Json::array();
  for (const SystemParameter& parameter : found.parameters) parameters.push_back(parameter_json(parameter));
  json["parameters"] = std::move(parameters);
  json["gradient"] = array(found.gradient);
  set(json, "steps", found.steps);
  set(json, "rhs_evaluations", found.rhs_evaluations);
  set(json, "checkpoints", found.checkpoints);
  set(json, "backward_steps", found.backward_steps);
  set(json, "adjoint_evaluations", found.adjoint_evaluations);
  set(json, "linearisations", found.linearisations);
  set(json, "parameter_evaluations", found.parameter_evaluations);
  set(json, "wall_seconds", found.wall_seconds);
  json["differences"] = check != nullptr ? Json(array(*check)) : Json();
  return json_text(json);
}

void print(const SensitivitiesArguments& a, const Problem& problem, const Gradient& found,
           const Eigen::VectorXd* check) {
  const std::size_t width = output_width(false);
  print_wrapped(problem.description(), width);
  if (!found.status.message.empty()) print_wrapped(found.status.message, width);
  if (!found.status.finished()) return;
  std::cout << a.functional << " = " << number(found.value, ".10g") << "\n";
  std::vector<Column> columns = {{"parameter", Align::left}, {"derivative"}};
  if (check != nullptr) columns.push_back({"by differences"});
  Table table(columns, width);
  std::vector<Table::Row> rows;
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    const auto entry = static_cast<Eigen::Index>(i);
    Table::Row row = {found.parameters[i].name, number(found.gradient[entry], ".8g")};
    if (check != nullptr) row.push_back(number((*check)[entry], ".8g"));
    rows.push_back(std::move(row));
  }
  std::cout << table.text(rows);
  print_wrapped(std::to_string(found.steps) + " steps there, " + std::to_string(found.backward_steps) + " back, " +
                    std::to_string(found.checkpoints) + " stretches twice; " + std::to_string(found.linearisations) +
                    " points linearised on the way back, " + std::to_string(found.rhs_evaluations) +
                    " right-hand sides on the way there",
                width);
}

int gradient_of_mechanism(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options) {
  const auto& system = problem.mechanism.system;
  const InitialState& start = problem.mechanism.start;
  const Functional functional = named_functional(*system, a.functional, options.t_end - start.t);
  const Gradient found =
      gradient(system, start, options, functional, {a.parameters, a.start_positions, a.start_velocities, 0});
  Eigen::VectorXd check;
  if (a.check && found.status.finished()) check = differences_of(found, system, start, options, functional);
  const Eigen::VectorXd* differences = check.size() > 0 ? &check : nullptr;
  if (a.problem.json)
    std::cout << document(a, problem, options, found, differences);
  else
    print(a, problem, found, differences);
  return found.status.finished() ? exit_finished : exit_numerical_failure;
}

int sensitivities_of_mechanism(const SensitivitiesArguments& a) {
  const Problem problem(a.problem);
  if (a.list) return list_parameters(a, problem);
  const SimulationOptions options = options_of(a, problem);
  if (!a.functional.empty() && (!a.html.empty() || a.points != not_given || a.no_error_control))
    throw Error(
        "--html, --points, --no-error-control: of derivatives over time; --functional is one number, ask for one");
  if (!a.functional.empty()) return gradient_of_mechanism(a, problem, options);
  std::optional<OutputFile> html;
  if (!a.html.empty()) html.emplace(a.html, "--html");
  const auto& system = problem.mechanism.system;
  const Sensitivities found = sensitivities(system, problem.mechanism.start, options, wanted_by(a, problem));
  std::unique_ptr<Differences> check;
  if (a.check && found.status.finished())
    check = std::make_unique<Differences>(differences_of(found, system, problem.mechanism.start, options));
  if (a.problem.json)
    std::cout << document(a, problem, options, found, check.get());
  else
    print(a, problem, options, found, check.get());
  if (html && !found.points.empty()) {
    write_html(found, system, html->stream(), problem.name + ", sensitivities");
    html->commit();
  } else if (html) {
    std::cerr << "--html: no point was reached, so no page is written\n";
  }
  return found.status.finished() ? exit_finished : exit_numerical_failure;
}

}  // namespace

Command sensitivities_command() {
  const auto a = std::make_shared<SensitivitiesArguments>();
  const std::vector<Option> options = {
      {"--parameter", &a->parameters,
       "differentiate by this one, by name, or by several together, body.m,weight.m; may stand several times"},
      {"--start-position", &a->start_positions, "by the start value of this coordinate"},
      {"--start-velocity", &a->start_velocities, "by the start value of this velocity"},
      {"--list", &a->list, "only list the names of the parameters"},
      {"--formulation", &a->formulation,
       "baumgarte, projected, penalty, unstabilized, ggl or stabilized_index1; default: that of a model file, or "
       "baumgarte"},
      {"--rtol", &a->rtol, "relative tolerance; default: " + text(Tolerances{}.rtol), rule::finite},
      {"--method",
       &a->method,
       "correct the sensitivities after the state, or together with it",
       rule::show_default,
       {"staggered", "simultaneous"}},
      {"--points", &a->points, "times of output, the ends among them; default: 2, with --html 201", rule::positive},
      {"--html", &a->html, "write a page to this file: curves of the derivatives, relative ones at the end"},
      {"--no-error-control", &a->no_error_control, "let the steps follow the motion alone"},
      {"--functional", &a->functional,
       "only the gradient of this number, by the adjoint: \"final x\", \"integral x'\", \"mean square lambda:rod\""},
      {"--check", &a->check, "compare with central differences of runs, in result and cost"}};
  return {"sensitivities", "how a motion changes with parameters and start values",
          problem_options(a->problem) + options, [a] { return sensitivities_of_mechanism(*a); },
          "\nExamples:\n"
          "  sensitivities pendulum --list\n"
          "  sensitivities pendulum --parameter rod.L --start-velocity bob[1] --rtol 1e-8 --check\n"
          "  sensitivities andrews --parameter model.c0 --formulation ggl --json\n"
          "  sensitivities pendulum --parameter rod.L --parameter mass.m --functional \"final bob[0]\" --check\n"
          "  sensitivities pendulum --parameter rod.L --html sensitivities.html"};
}

}  // namespace sunlagrange::bench
