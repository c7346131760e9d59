#include "consistency/metric_step.hpp"

#include "linear_algebra/pattern_products.hpp"

namespace sunlagrange {
namespace {

/// Place of each of 0 ... count - 1 in the list, -1 if it is not there.
std::vector<int> numbers_of(const std::vector<int>& list, int count) {
  std::vector<int> number(static_cast<std::size_t>(count), -1);
  for (std::size_t i = 0; i < list.size(); ++i) number[static_cast<std::size_t>(list[i])] = static_cast<int>(i);
  return number;
}

}  // namespace

MetricStep::MetricStep(const SystemPatterns& patterns, int rows, const Metric& metric,
                       const LinearSolverOptions& resolved)
    : weights_(metric.weights) {
  const int n = patterns.mass.rows;
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
  pattern.jacobian = pattern.bottom_left = free_jacobian(patterns.jacobian, rows);
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
  const std::vector<int> number = numbers_of(coordinates_, n);
  for (int j = 0; j < size; ++j) {
    const int column = coordinates_[static_cast<std::size_t>(j)];
    if (weights_.size() > 0) {
      for (int i = sparse ? j : 0; i < (sparse ? j + 1 : size); ++i) add(i, j, i == j ? -1 - column : -1 - n);
      continue;
    }
    for (int k = mass.column_start[static_cast<std::size_t>(column)];
         k < mass.column_start[static_cast<std::size_t>(column) + 1]; ++k) {
      const int i = number[static_cast<std::size_t>(mass.row_index[static_cast<std::size_t>(k)])];
      if (i >= 0) add(i, j, k);
    }
  }
  metric_.resize(metric_slots_.size());
  return SparsePattern::from_entries(size, size, std::move(entries));
}

SparsePattern MetricStep::free_jacobian(const SparsePattern& jacobian, int rows) {
  std::vector<bool> acts(static_cast<std::size_t>(rows), false);
  const auto for_each_entry = [&](auto&& visit) {
    for (std::size_t j = 0; j < coordinates_.size(); ++j) {
      const auto column = static_cast<std::size_t>(coordinates_[j]);
      for (int k = jacobian.column_start[column]; k < jacobian.column_start[column + 1]; ++k) {
        const int row = jacobian.row_index[static_cast<std::size_t>(k)];
        if (row < rows) visit(row, static_cast<int>(j), k);
      }
    }
  };
  for_each_entry([&](int row, int, int) { acts[static_cast<std::size_t>(row)] = true; });
  for (int i = 0; i < rows; ++i) {
    if (acts[static_cast<std::size_t>(i)]) rows_.push_back(i);
  }
  const std::vector<int> number = numbers_of(rows_, rows);
  std::vector<std::pair<int, int>> entries;
  for_each_entry([&](int row, int j, int slot) {
    entries.emplace_back(number[static_cast<std::size_t>(row)], j);
    jacobian_slots_.push_back(slot);
  });
  jacobian_.resize(jacobian_slots_.size());
  return SparsePattern::from_entries(static_cast<int>(rows_.size()), static_cast<int>(coordinates_.size()),
                                     std::move(entries));
}

LinearOutcome MetricStep::solve(const Workspace& w, double* top, double* bottom) {
  const auto n = static_cast<int>(w.force.size());
  if (solver_ == nullptr) {
    for (int j = 0; j < n; ++j) top[j] = 0.0;
    return LinearOutcome::ok;
  }
  for (std::size_t k = 0; k < metric_.size(); ++k) {
    const int slot = metric_slots_[k];
    metric_[k] = slot >= 0 ? w.mass[static_cast<std::size_t>(slot)] : slot == -1 - n ? 0.0 : weights_[-1 - slot];
  }
  for (std::size_t k = 0; k < jacobian_.size(); ++k)
    jacobian_[k] = w.jacobian[static_cast<std::size_t>(jacobian_slots_[k])];
  BlockValues values;
  values.top_left = metric_.data();
  values.jacobian = jacobian_.data();
  const LinearOutcome factorized = solver_->factorize(values);
  if (factorized != LinearOutcome::ok) return factorized;
  for (std::size_t j = 0; j < coordinates_.size(); ++j) top_[static_cast<Eigen::Index>(j)] = top[coordinates_[j]];
  for (std::size_t i = 0; i < rows_.size(); ++i) bottom_[static_cast<Eigen::Index>(i)] = bottom[rows_[i]];
  const LinearOutcome solved = solver_->solve(top_.data(), bottom_.data());
  if (solved != LinearOutcome::ok) return solved;
  for (int j = 0; j < n; ++j) top[j] = 0.0;
  for (std::size_t j = 0; j < coordinates_.size(); ++j) top[coordinates_[j]] = top_[static_cast<Eigen::Index>(j)];
  for (std::size_t i = 0; i < rows_.size(); ++i) bottom[rows_[i]] = bottom_[static_cast<Eigen::Index>(i)];
  return LinearOutcome::ok;
}

Eigen::VectorXd metric_times(const Metric& metric, const Workspace& w, const Eigen::VectorXd& x) {
  if (metric.weights.size() > 0) return metric.weights.cwiseProduct(x);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(x.size());
  add_product(w.patterns->mass, w.mass, x.data(), y.data());
  return y;
}

}  // namespace sunlagrange
