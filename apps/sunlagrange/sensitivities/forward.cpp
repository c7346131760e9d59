// SPDX-License-Identifier: BSD-3-Clause
#include "sensitivities/sensitivities.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <optional>

#include <sunlagrange/analysis/sensitivity_resolution.hpp>
#include <sunlagrange/analysis/write_html.hpp>

#include "sensitivities/differences.hpp"
#include "shared/interruption.hpp"
#include "shared/json.hpp"
#include "shared/output.hpp"
#include "shared/quantile.hpp"
#include "shared/record.hpp"
#include "shared/table.hpp"
#include "shared/text.hpp"

#include <nlohmann/json.hpp>

namespace sunlagrange::program {
namespace {

constexpr double differences_lose = 10.0;  // tolerances by which the derivatives by differences may be wrong

/// CPU time of the thread for the same run without and with the parameters.
struct Cost {
  double run = 0.0, with = 0.0;  ///< [s], medians of alternating repetitions
  double scatter = 0.0;          ///< [s], scatter of these times

  bool resolved() const { return with - run > scatter; }
};

/// Derivatives at the end by differences of runs, and the cost.
struct Differences {
  Eigen::MatrixXd q, uncertainty;  ///< dq/dp, n x p, as in Difference
  Cost cost;
  double seconds = 0.0, cpu_seconds = 0.0;  ///< of all runs for the differences
};

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

/// @param work  the run, without and with the parameters
Cost cost_of(const std::function<void()>& run, const std::function<void()>& with) {
  constexpr int fewest = 3, most = 9;
  constexpr double enough = 0.5;  // [s]
  const auto timed = [](const std::function<void()>& work) {
    const double begin = thread_cpu_seconds();
    work();
    return thread_cpu_seconds() - begin;
  };
  std::vector<double> runs, all;
  for (double spent = 0.0; static_cast<int>(runs.size()) < (spent < enough ? most : fewest) && !interrupted();
       spent += runs.back() + all.back()) {
    runs.push_back(timed(run));
    all.push_back(timed(with));
  }
  if (runs.empty()) return {NAN, NAN, NAN};
  Cost cost{median(runs), median(all), 0.0};
  cost.scatter = std::max(cost.run - *std::min_element(runs.begin(), runs.end()),
                          cost.with - *std::min_element(all.begin(), all.end()));
  return cost;
}

MotionSize motion_of(const MechanicalSystem& system, const Sensitivities& found) {
  std::vector<const MotionState*> states;
  for (const SensitivityPoint& point : found.points) states.push_back(&point.state);
  return motion_size(system, states);
}

/// Computes the derivatives by differences of runs from the consistent start.
Differences differences_of(const Sensitivities& found, const SystemPointer& system, const InitialState& given,
                           const SimulationOptions& options, const SensitivityOptions& wanted) {
  const MotionState& start = found.points.front().state;
  InitialState from = given;
  from.q = start.q;
  from.v = start.v;
  const MotionSize motion = motion_of(*system, found);
  Differences result;
  SimulationOptions plain = options;
  plain.record = Record::ends_only;
  result.cost = cost_of([&] { simulate(system, from, plain); }, [&] { sensitivities(system, given, options, wanted); });
  const SimulationOptions tight = options_for_differences(options, motion);
  const EndOf end_of = [&](const SystemPointer& changed, const InitialState& begin) -> Eigen::VectorXd {
    const Simulation run = simulate(changed, begin, tight);
    if (run.status.finished()) return run.trajectory.q(run.trajectory.size() - 1);
    return Eigen::VectorXd::Constant(system->num_positions(), std::numeric_limits<double>::quiet_NaN());
  };
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = thread_cpu_seconds();
  result.q.resize(system->num_positions(), static_cast<Eigen::Index>(found.parameters.size()));
  result.uncertainty.resize(result.q.rows(), result.q.cols());
  for (Eigen::Index i = 0; i < result.q.cols(); ++i) {
    const Difference one =
        difference_by(found.parameters[static_cast<std::size_t>(i)], system, from, motion, end_of, result.q.rows());
    result.q.col(i) = one.value;
    result.uncertainty.col(i) = one.uncertainty;
  }
  result.cpu_seconds = thread_cpu_seconds() - cpu_begin;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

/// Returns a sentence on the difference between a derivative at the end and its value by differences of runs. Both
/// count as zero if a change of q by the whole parameter is below the tolerances of the runs.
std::string distance_in_words(const MechanicalSystem& system, const Sensitivities& found, const Differences& check,
                              std::size_t k, const SimulationOptions& options) {
  const auto column = static_cast<Eigen::Index>(k);
  const Eigen::VectorXd x = found.points.back().q.col(column), y = check.q.col(column);
  if (!y.allFinite()) return "the runs for differences did not finish, or the parameter is at a bound: no comparison";
  const double size = found.points.back().state.q.lpNorm<Eigen::Infinity>();
  const double least = differences_lose * (options.atol + options.rtol * size) /
                       size_of(found.parameters[k], system, motion_of(system, found));
  const double largest = std::max(x.lpNorm<Eigen::Infinity>(), y.lpNorm<Eigen::Infinity>());
  if (largest <= least) return "both below the tolerances, " + number(least, ".1e");
  const Eigen::VectorXd off = (x - y).cwiseAbs(), uncertain = check.uncertainty.col(column);
  Eigen::Index worst = 0;
  if ((off - uncertain).maxCoeff(&worst) <= 0.0)
    return "certain to " + number(uncertain.maxCoeff() / largest, ".1e") +
           " relatively, and the sensitivity lies within that uncertainty";
  return "relative distance at the end " + number(off[worst] / largest, ".1e") + ", uncertainty of the differences " +
         number(uncertain[worst] / largest, ".1e");
}

/// Returns the cost of a parameter compared with the cost of a run.
std::string cost_in_words(const Differences& check, double count) {
  const Cost& cost = check.cost;
  const std::string all = "cost, CPU time: one run " + number(cost.run, ".3g") + " s; each parameter ";
  const std::string differences = ", by differences " + number(check.cpu_seconds / count / cost.run, ".2f") + " runs";
  if (!cost.resolved())
    return all + "cannot be resolved, a run with all of them takes " + number(cost.with, ".3g") +
           " s and such times scatter by " + number(cost.scatter, ".1g") + " s" + differences;
  return all + number((cost.with - cost.run) / count / cost.run, ".2f") + " runs" + differences;
}

std::string document(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options,
                     const Sensitivities& found, const Differences* check) {
  Json json;
  set(json, "schema", 1);
  set(json, "mechanism", problem.name);
  set(json, "formulation", options.formulation);
  set(json, "method", a.method);
  set(json, "error_control", !a.no_error_control);
  add_figures(json, figures_json(found));
  for (std::size_t k = 0; k < found.points.size(); ++k) {
    const SensitivityPoint& point = found.points[k];
    for (const auto& [name, derivative] : {std::pair("dq", &point.q), std::pair("dv", &point.v),
                                           std::pair("da", &point.a), std::pair("dlambda", &point.lambda)})
      json["points"][k][name] = columns_json(*derivative);
  }
  json["differences"] = Json();
  if (check != nullptr) {
    Json differences;
    differences["dq"] = columns_json(check->q);
    differences["uncertainty"] = columns_json(check->uncertainty);
    set(differences, "run_seconds", check->cost.run);
    set(differences, "sensitivity_seconds", check->cost.with);
    set(differences, "scatter_seconds", check->cost.scatter);
    set(differences, "wall_seconds", check->seconds);
    set(differences, "cpu_seconds", check->cpu_seconds);
    json["differences"] = std::move(differences);
  }
  return json_text(json);
}

void print(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options,
           const Sensitivities& found, const Differences* check) {
  const std::size_t width = output_width(false);
  const MechanicalSystem& system = *problem.mechanism.system;
  const Eigen::MatrixXd resolution = resolution_of(found).q;
  print_wrapped(problem.description(), width);
  for (const SensitivityPoint& point : found.points) {
    const bool end = &point == &found.points.front() || &point == &found.points.back();
    if (a.points == not_given && !end) continue;  // only for the curves of --html
    std::cout << "t = " << number(point.state.t, ".6g") << " s\n";
    std::vector<Column> columns = {{"d/dp", Align::left}};
    for (int i = 0; i < system.num_positions(); ++i) columns.push_back({system.position_name(i), Align::right, 1 + i});
    Table table(columns, width);
    std::vector<Table::Row> rows;
    for (std::size_t i = 0; i < found.parameters.size(); ++i) {
      Table::Row row = {found.parameters[i].name};
      const auto column = static_cast<Eigen::Index>(i);
      for (Eigen::Index k = 0; k < point.q.rows(); ++k) {
        const double entry = point.q(k, column);
        row.push_back(number(std::abs(entry) <= resolution(k, column) ? 0.0 : entry, ".6g"));
      }
      rows.push_back(std::move(row));
    }
    std::cout << table.text(rows);
  }
  std::string zero;
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const auto all = [&](const SensitivityPoint& point) {
      return (point.q.col(column).array().abs() <= resolution.col(column).array()).all();
    };
    if (std::all_of(found.points.begin(), found.points.end(), all))
      zero += (zero.empty() ? "" : ", ") + found.parameters[i].name;
  }
  if (!zero.empty())
    print_wrapped("the motion does not depend on " + zero + ": all dq/dp are 0 within the tolerances of the run",
                  width);
  if (!found.status.message.empty()) print_wrapped(found.status.message, width);
  if (!found.status.finished()) return;
  print_wrapped(std::to_string(found.steps) + " steps, " + std::to_string(found.sensitivity_evaluations) +
                    " evaluations of the sensitivities; they violate the linearised constraints by " +
                    number(found.constraint_error, ".1e") + " of their size",
                width);
  if (check == nullptr) return;
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    print_wrapped("differences of runs, " + found.parameters[i].name + ": " +
                      distance_in_words(system, found, *check, i, options),
                  width);
  }
  print_wrapped(cost_in_words(*check, static_cast<double>(found.parameters.size())), width);
}

}  // namespace

int sensitivities_along(const SensitivitiesArguments& a, const Problem& problem, const SimulationOptions& options) {
  std::optional<OutputFile> html;
  if (!a.html.empty()) html.emplace(a.html, "--html");
  const auto& system = problem.mechanism.system;
  const SensitivityOptions wanted = wanted_by(a, problem);
  const Sensitivities found = sensitivities(system, problem.mechanism.start, options, wanted);
  std::unique_ptr<Differences> check;
  if (a.check && found.status.finished())
    check = std::make_unique<Differences>(differences_of(found, system, problem.mechanism.start, options, wanted));
  if (a.problem.json)
    std::cout << document(a, problem, options, found, check.get());
  else
    print(a, problem, options, found, check.get());
  if (html && !found.points.empty()) {
    write_html(found, system, html->stream(), problem.title() + ", sensitivities");
    html->commit();
  } else if (html) {
    std::cerr << "--html: no point was reached, so no page is written\n";
  }
  return found.status.finished() ? exit_finished : exit_numerical_failure;
}

}  // namespace sunlagrange::program
