#include "work_precision/fronts.hpp"

#include <algorithm>
#include <cmath>

namespace sunlagrange::program {
namespace {

bool counts(const RunRecord& r, Among among) {
  return !r.baseline && r.simulation.status.finished() && std::isfinite(r.error_vs_reference) &&
         (among == Among::all || r.holds_constraints);
}

bool same_pair(const RunRecord& a, const RunRecord& b) {
  return a.options.formulation == b.options.formulation && a.options.integrator == b.options.integrator;
}

/// Interpolates the cost of two runs at an error between theirs; NaN if the error is not between theirs.
double interpolated(const RunRecord& a, const RunRecord& b, double error, const Cost& cost) {
  constexpr double rounding = 1e-16;  // an error of 0 has no logarithm
  const double x = std::log(std::max(a.error_vs_reference, rounding));
  const double y = std::log(std::max(b.error_vs_reference, rounding)), target = std::log(error);
  if (!(std::min(x, y) <= target && target < std::max(x, y))) return Report::none;
  const double share = (target - x) / (y - x);
  return std::exp((1.0 - share) * std::log(cost(a)) + share * std::log(cost(b)));
}

/// @param runs  of one pair, in the order of their accuracies
double cost_at(const std::vector<const RunRecord*>& runs, double error, const Cost& cost) {
  double least = Report::none;
  const auto update = [&least](double candidate) {
    if (!(candidate >= least)) least = candidate;  // also if least is NaN
  };
  if (runs.front()->error_vs_reference <= error) update(cost(*runs.front()));
  for (std::size_t k = 1; k < runs.size(); ++k) {
    const double between = interpolated(*runs[k - 1], *runs[k], error, cost);
    if (!std::isnan(between)) update(between);
  }
  return least;
}

}  // namespace

double cpu_seconds(const RunRecord& record) {
  return record.cpu_seconds;
}

double rhs_evaluations(const RunRecord& record) {
  return static_cast<double>(record.simulation.report.rhs_evaluations);
}

std::vector<std::size_t> pareto_front(const std::vector<RunRecord>& records, const Cost& cost, Among among) {
  constexpr double clearly = 0.9;
  std::vector<std::size_t> order, front;
  for (std::size_t k = 0; k < records.size(); ++k) {
    if (counts(records[k], among)) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cost(records[a]) < cost(records[b]); });
  for (const std::size_t k : order) {
    if (front.empty() || records[k].error_vs_reference < clearly * records[front.back()].error_vs_reference)
      front.push_back(k);
  }
  return front;
}

std::vector<CostAtError> costs_at(const std::vector<RunRecord>& records, double error, Among among) {
  std::vector<CostAtError> list;
  std::vector<bool> seen(records.size(), false);
  for (std::size_t k = 0; k < records.size(); ++k) {
    if (seen[k] || !counts(records[k], among)) continue;
    std::vector<const RunRecord*> runs;
    for (std::size_t other = k; other < records.size(); ++other) {
      if (!counts(records[other], among) || !same_pair(records[k], records[other])) continue;
      seen[other] = true;
      runs.push_back(&records[other]);
    }
    CostAtError c{records[k].options.formulation, records[k].options.integrator, cost_at(runs, error, cpu_seconds),
                  cost_at(runs, error, rhs_evaluations)};
    if (!std::isnan(c.cpu_seconds)) list.push_back(std::move(c));
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const CostAtError& a, const CostAtError& b) { return a.cpu_seconds < b.cpu_seconds; });
  return list;
}

}  // namespace sunlagrange::program
