// SPDX-License-Identifier: BSD-3-Clause
#include "adaptive_vs_fixed/accuracy_search.hpp"

#include <cmath>

namespace sunlagrange::program {

AccuracySearch::AccuracySearch(const Problem& problem, SimulationOptions options, Eigen::VectorXd reference,
                               const SearchLimits& limits)
    : problem_(problem),
      options_(std::move(options)),
      reference_(std::move(reference)),
      limits_(limits),
      fixed_(is_fixed_step(options_.integrator)) {
  options_.record = Record::ends_only;
  options_.max_steps = std::min(options_.max_steps, limits.most_steps);
}

void AccuracySearch::set_accuracy(int level, SimulationOptions& options) const {
  const double factors = static_cast<double>(level) / parts;
  if (fixed_) {
    const double count = std::round(limits_.fewest_steps * std::pow(2.0, factors));
    options.step = (options.t_end - problem_.mechanism.start.t) / count;
  } else {
    options.rtol = options.atol = limits_.loosest_rtol * std::pow(10.0, -factors);
  }
}

int AccuracySearch::last_level() const {
  const double factors = fixed_ ? std::log2(static_cast<double>(limits_.most_steps) / limits_.fewest_steps)
                                : std::log10(limits_.loosest_rtol / limits_.tightest_rtol);
  return parts * static_cast<int>(factors + 1e-9);
}

const RunRecord& AccuracySearch::run_at(int level) {
  const auto known = runs_.find(level);
  if (known != runs_.end()) return known->second;
  SimulationOptions options = options_;
  set_accuracy(level, options);
  RunRecord record = run_problem(problem_, options);
  const Trajectory& path = record.simulation.trajectory;
  record.error_vs_reference = record.simulation.status.finished()
                                  ? (path.q(path.size() - 1) - reference_).lpNorm<Eigen::Infinity>()
                                  : Report::none;
  return runs_.emplace(level, std::move(record)).first->second;
}

bool AccuracySearch::reaches(int level, Measure measure, double target) {
  const RunRecord& run = run_at(level);
  if (!run.simulation.status.finished()) return false;
  if (measure == Measure::error) return run.error_vs_reference <= target;
  return run.simulation.report.max_position_violation <= target && run.error_vs_reference <= limits_.largest_error;
}

const RunRecord* AccuracySearch::cheapest(Measure measure, double target) {
  int level = 0;
  while (
      !(reaches(level, measure, target) && (level + parts > last_level() || reaches(level + parts, measure, target)))) {
    level += parts;
    if (level > last_level()) return nullptr;
  }
  if (level == 0) return &run_at(0);
  int fails = level - parts;
  while (level - fails > 1) {
    const int middle = (level + fails) / 2;
    (reaches(middle, measure, target) ? level : fails) = middle;
  }
  return &run_at(level);
}

}  // namespace sunlagrange::program
