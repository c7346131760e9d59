#include "sensitivities/sensitivities.hpp"

#include <chrono>
#include <iostream>
#include <optional>

#include <sunlagrange/analysis/write_html.hpp>

#include "shared/json.hpp"
#include "shared/number.hpp"
#include "shared/output.hpp"
#include "shared/table.hpp"
#include "shared/text.hpp"

#include <nlohmann/json.hpp>

namespace sunlagrange::bench {
namespace {

constexpr double differences_lose = 10.0;  // tolerances, by which what they come to may be off

/// What central differences of runs give at the end, and what everything costs.
struct Differences {
  Eigen::MatrixXd q;         ///< dq/dp, n x p; NaN where a run did not finish
  double run_seconds = 0.0;  ///< of one run without sensitivities
  double seconds = 0.0;      ///< of all runs of the differences
};

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
  const double size = found.points.back().state.q.lpNorm<Eigen::Infinity>();
  const double least = differences_lose * (options.atol + options.rtol * size) / size_of(found.parameters[k]);
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
      const Eigen::VectorXd entries = point.q.col(static_cast<Eigen::Index>(i)), &scales = system.natural_scales();
      const double largest = entries.cwiseQuotient(scales).lpNorm<Eigen::Infinity>();
      for (Eigen::Index k = 0; k < entries.size(); ++k)
        row.push_back(number(without_rounding(entries[k], largest * scales[k]), ".6g"));
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

}  // namespace

int sensitivities_along(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options) {
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

}  // namespace sunlagrange::bench
