// SPDX-License-Identifier: BSD-3-Clause
#include "report/history.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "shared/record.hpp"

namespace sunlagrange::program {
namespace {

constexpr int sections = 200;

double largest(const Eigen::VectorXd& x) {
  return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0.0;
}

/// Returns the part of the run that contains t.
int part_of(double t, double begin, double end, double log_from) {
  double share = (t - begin) / (end - begin);
  if (log_from > 0.0) share = std::log((t - begin) / log_from) / std::log((end - begin) / log_from);
  return std::min(sections - 1, static_cast<int>(share * sections));
}

Json passages(const Report& report) {
  Json list = Json::array();
  for (const RankEvent& e : report.rank_events) {
    Json passage;
    set(passage, "t", e.t);
    set(passage, "passage", to_string(e.passage));
    set(passage, "constraint", e.constraint);
    list.push_back(std::move(passage));
  }
  return list;
}

}  // namespace

Json history(const Problem& problem, const HistoryRequest& request) {
  SimulationOptions options = problem.options_with(request.formulation);
  options.integrator = request.integrator;
  if (request.step > 0.0)
    options.step = request.step;
  else
    options.rtol = options.atol = request.rtol;
  options.record = Record::every_step;
  const RunRecord record = run_problem(problem, options);
  const Trajectory& path = record.simulation.trajectory;
  const auto& reference = problem.reference(record.options.start);
  SystemEvaluator evaluator(problem.mechanism.system);
  std::vector<double> t, violation, error, step;
  bool compared = false;
  int last_part = -1;
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (path.t(k) - path.t(0) < request.log_from) continue;
    const double g = largest(evaluator.at(path.t(k), path.q(k), path.v(k)).g);
    const auto exact = reference ? reference(path.t(k)) : std::nullopt;
    const double e = exact ? largest(path.q(k) - exact->q) : Report::none;
    const double h = k > 0 ? path.t(k) - path.t(k - 1) : Report::none;
    compared = compared || exact;
    const int part =
        request.steps ? static_cast<int>(k) : part_of(path.t(k), path.t(0), options.t_end, request.log_from);
    if (part != last_part) {
      t.push_back(path.t(k));
      violation.push_back(g);
      error.push_back(e);
      step.push_back(h);
      last_part = part;
      continue;
    }
    if (g > violation.back()) {
      violation.back() = g;
      t.back() = path.t(k);
    }
    if (!(error.back() >= e)) error.back() = e;
  }
  const auto list = [](const std::vector<double>& x) {
    return array(Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
  };
  Json json;
  set(json, "formulation", record.options.formulation);
  set(json, "integrator", record.options.integrator);
  set(json, "rtol", request.rtol);
  set(json, "status", to_string(record.simulation.status.outcome));
  set(json, "message", record.simulation.status.message);
  set(json, "t_reached", record.simulation.report.t_reached);
  set(json, "passages", passages(record.simulation.report));
  set(json, "t", list(t));
  set(json, "violation", list(violation));
  if (compared) set(json, "error", list(error));
  if (request.steps) set(json, "step", list(step));
  return json;
}

}  // namespace sunlagrange::program
