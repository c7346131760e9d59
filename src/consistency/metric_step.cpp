// SPDX-License-Identifier: BSD-3-Clause
#include "consistency/metric_step.hpp"

namespace sunlagrange::internal {
namespace {

/// Returns the place of each of 0 ... count - 1 in the list; -1 if it is absent.
SignedVector<int> numbers_of(const SignedVector<int>& list, int count) {
  SignedVector<int> number(static_cast<std::size_t>(count), -1);
  for (std::size_t i = 0; i < list.size(); ++i) number[list[i]] = static_cast<int>(i);
  return number;
}

}  // namespace

MetricStep::MetricStep(const SystemPatterns& patterns, int rows, const Metric& metric,
                       const LinearSolverOptions& resolved)
    : weights_(metric.weights), n_(patterns.mass.rows) {
  const int n = n_;
  std::vector<bool> fixed(static_cast<std::size_t>(n), false);
  for (const int j : metric.fixed) fixed[static_cast<std::size_t>(j)] = true;
  for (int j = 0; j < n; ++j) {
    if (!fixed[static_cast<std::size_t>(j)]) coordinates_.push_back(j);
  }
  if (coordinates_.empty()) return;
  LinearSolverOptions options = resolved;
  if (!metric.fixed.empty() && options.rank_policy == RankPolicy::strict)
    options.rank_policy = RankPolicy::minimum_norm;
  BlockPattern pattern;
  pattern.top_left = free_metric(patterns.mass, find_linear_solver(options.name).sparse);
  pattern.jacobian = free_jacobian(patterns.jacobian, rows);
  pattern.natural_scales = patterns.natural_scales(coordinates_);
  solver_ = make_linear_solver(pattern, options);
  top_.resize(static_cast<Eigen::Index>(coordinates_.size()));
  bottom_.resize(static_cast<Eigen::Index>(rows_.size()));
}

SparsePattern MetricStep::free_metric(const SparsePattern& mass, bool sparse) {
  const int n = mass.rows;
  const int size = static_cast<int>(coordinates_.size());
  std::vector<std::pair<int, int>> entries;
  const auto add = [&](int i, int j, int slot) {
    entries.emplace_back(i, j);
    metric_slots_.push_back(slot);
  };
  const SignedVector<int> number = numbers_of(coordinates_, n);
  for (int j = 0; j < size; ++j) {
    const int column = coordinates_[j];
    if (weights_.size() > 0) {
      for (int i = sparse ? j : 0; i < (sparse ? j + 1 : size); ++i) add(i, j, i == j ? -1 - column : -1 - n);
      continue;
    }
    mass.for_each_entry_of(column, [&](int row, int, int slot) {
      if (number[row] >= 0) add(number[row], j, slot);
    });
  }
  metric_.resize(static_cast<Eigen::Index>(metric_slots_.size()));
  return SparsePattern::from_entries(size, size, std::move(entries));
}

SparsePattern MetricStep::free_jacobian(const SparsePattern& jacobian, int rows) {
  std::vector<bool> acts(static_cast<std::size_t>(rows), false);
  const auto for_each_entry = [&](auto&& visit) {
    int j = 0;
    for (const int column : coordinates_) {
      jacobian.for_each_entry_of(column, [&](int row, int, int slot) {
        if (row < rows) visit(row, j, slot);
      });
      ++j;
    }
  };
  for_each_entry([&](int row, int, int) { acts[static_cast<std::size_t>(row)] = true; });
  for (int i = 0; i < rows; ++i) {
    if (acts[static_cast<std::size_t>(i)]) rows_.push_back(i);
  }
  const SignedVector<int> number = numbers_of(rows_, rows);
  std::vector<std::pair<int, int>> entries;
  for_each_entry([&](int row, int j, int slot) {
    entries.emplace_back(number[row], j);
    jacobian_slots_.push_back(slot);
  });
  jacobian_.resize(static_cast<Eigen::Index>(jacobian_slots_.size()));
  return SparsePattern::from_entries(static_cast<int>(rows_.size()), static_cast<int>(coordinates_.size()),
                                     std::move(entries));
}

EvaluationResult MetricStep::solve(const Workspace& w, double* top, double* bottom) {
  const EvaluationResult factorized = factorize(w);
  return factorized == EvaluationResult::ok ? solve(top, bottom) : factorized;
}

EvaluationResult MetricStep::factorize(const Workspace& w) {
  if (solver_ == nullptr) return EvaluationResult::ok;
  for (Eigen::Index k = 0; k < metric_.size(); ++k) {
    const int slot = metric_slots_[k];
    metric_[k] = slot >= 0 ? w.M.values[slot] : slot == -1 - n_ ? 0.0 : weights_[-1 - slot];
  }
  for (Eigen::Index k = 0; k < jacobian_.size(); ++k) jacobian_[k] = w.G.values[jacobian_slots_[k]];
  BlockValues values;
  values.top_left = metric_.data();
  values.jacobian = jacobian_.data();
  return solver_->factorize(values);
}

EvaluationResult MetricStep::solve(double* top, double* bottom) {
  if (solver_ == nullptr) {
    as_vector(top, n_).setZero();
    return EvaluationResult::ok;
  }
  for (Eigen::Index j = 0; j < top_.size(); ++j) top_[j] = top[coordinates_[j]];
  for (Eigen::Index i = 0; i < bottom_.size(); ++i) bottom_[i] = bottom[rows_[i]];
  const EvaluationResult solved = solver_->solve(top_.data(), bottom_.data());
  if (solved != EvaluationResult::ok) return solved;
  as_vector(top, n_).setZero();
  for (Eigen::Index j = 0; j < top_.size(); ++j) top[coordinates_[j]] = top_[j];
  for (Eigen::Index i = 0; i < bottom_.size(); ++i) bottom[rows_[i]] = bottom_[i];
  return EvaluationResult::ok;
}

Eigen::VectorXd metric_times(const Metric& metric, const Workspace& w, const Eigen::VectorXd& x) {
  if (metric.weights.size() > 0) return metric.weights.cwiseProduct(x);
  return w.M.times(x);
}

}  // namespace sunlagrange::internal
