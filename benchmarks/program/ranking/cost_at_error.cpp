// SPDX-License-Identifier: BSD-3-Clause
#include "ranking/cost_at_error.hpp"

#include <algorithm>
#include <cmath>

#include "parts/work.hpp"

namespace sunlagrange::program {
namespace {

constexpr double rounding = 1e-16;  // an error or a violation of 0 has no logarithm

double violation(const RunRecord& record) {
  const Report& report = record.simulation.report;
  const double largest =
      report.max_position_violation > 0.0 ? report.max_position_violation : report.max_velocity_violation;
  return std::max(rounding, largest);
}

/// @param runs  of one pair, in the order of their accuracies
double figure_at(const std::vector<const RunRecord*>& runs, double error, const Cost& figure) {
  double least = Report::none;
  const auto update = [&least](double candidate) {
    if (!(candidate >= least)) least = candidate;  // also if least is NaN
  };
  if (runs.front()->error_vs_reference <= error) update(figure(*runs.front()));
  for (std::size_t k = 1; k < runs.size(); ++k) {
    const double between = interpolated(*runs[k - 1], *runs[k], error, figure);
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

double counted_work(const RunRecord& record) {
  return work(record.simulation.report);
}

bool counts(const RunRecord& r, Among among) {
  if (r.baseline || !r.simulation.status.finished() || !std::isfinite(r.error_vs_reference)) return false;
  if (among == Among::all) return true;
  return r.holds_constraints && (among == Among::holding || r.simulation.status.has_no_doubts());
}

bool same_pair(const RunRecord& a, const RunRecord& b) {
  return a.options.formulation == b.options.formulation && a.options.integrator == b.options.integrator;
}

double interpolated(const RunRecord& a, const RunRecord& b, double error, const Cost& figure) {
  const double x = std::log(std::max(a.error_vs_reference, rounding));
  const double y = std::log(std::max(b.error_vs_reference, rounding)), target = std::log(error);
  if (!(std::min(x, y) <= target && target < std::max(x, y))) return Report::none;
  const double share = (target - x) / (y - x);
  return std::exp((1.0 - share) * std::log(figure(a)) + share * std::log(figure(b)));
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
    CostAtError c{records[k].options.formulation,       records[k].options.integrator,
                  figure_at(runs, error, cpu_seconds),  figure_at(runs, error, rhs_evaluations),
                  figure_at(runs, error, counted_work), figure_at(runs, error, violation)};
    if (!std::isnan(c.cpu_seconds)) list.push_back(std::move(c));
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const CostAtError& a, const CostAtError& b) { return a.cpu_seconds < b.cpu_seconds; });
  return list;
}

}  // namespace sunlagrange::program
