// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/coordinate_partition.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Householder>

#include "linear_solver/rank/jacobian_scales.hpp"
#include "linear_solver/rank/rank_threshold.hpp"
#include "linear_solver/rank/thresholds.hpp"

namespace sunlagrange::internal {
namespace {

/// A pivot that has fallen by this factor since the rank was decided leaves half of the digits.
constexpr double lost_column = 1e-8;

}  // namespace

CoordinatePartition::CoordinatePartition(const SparsePattern& jacobian, int rows, double rank_threshold)
    : pattern_(&jacobian),
      rows_(rows),
      threshold_(rank_threshold_for(rows, rank_threshold)),
      least_pivot_(lost_column),
      row_scale_(Eigen::VectorXd::Ones(rows)),
      column_scale_(Eigen::VectorXd::Ones(jacobian.columns)),
      right_(rows),
      work_(rows) {
  for (int j = 0; j < jacobian.columns; ++j) independent_.push_back(j);
}

void CoordinatePartition::load_column(const double* J, int column, double* target) const {
  std::fill(target, target + rows_, 0.0);
  pattern_->for_each_entry_of(column, [&](int i, int j, int k) {
    if (i < rows_) target[i] = row_scale_[i] * J[k] * column_scale_[j];
  });
}

/// Returns the columns in the order in which they become dependent: first the pivots of the `first` columns that are
/// longer than `limit`, then the pivots of the other columns, projected onto the complement of these.
std::vector<int> CoordinatePartition::pivots_after(const Eigen::MatrixXd& all, const std::vector<bool>& first,
                                                   double limit) const {
  std::vector<int> chosen, rest, order;
  for (int j = 0; j < pattern_->columns; ++j) (first[static_cast<std::size_t>(j)] ? chosen : rest).push_back(j);
  const auto columns = [&](const std::vector<int>& list) {
    Eigen::MatrixXd part(rows_, static_cast<Eigen::Index>(list.size()));
    for (std::size_t k = 0; k < list.size(); ++k) part.col(static_cast<Eigen::Index>(k)) = all.col(list[k]);
    return part;
  };
  const PivotedQr of_first(columns(chosen));
  for (Eigen::Index k = 0; k < of_first.factors().diagonal().size(); ++k) {
    if (std::abs(of_first.factors()(k, k)) > limit) order.push_back(chosen.data()[of_first.order()[k]]);
  }
  Eigen::MatrixXd complement = columns(rest);
  if (!order.empty()) {
    const Eigen::MatrixXd Q = orthonormal_columns(columns(order));
    for (int pass = 0; pass < 2; ++pass) complement -= Q * (Q.transpose() * complement).eval();
  }
  const PivotedQr of_rest(complement);
  for (const int k : of_rest.order()) order.push_back(rest.data()[k]);
  return order;
}

bool CoordinatePartition::choose(const double* J, const double* row_scale, const double* column_scale, int rank,
                                 const std::vector<bool>& first) {
  const int n = pattern_->columns;
  const Eigen::VectorXd rows_before = row_scale_, columns_before = column_scale_;
  row_scale_ = Eigen::Map<const Eigen::VectorXd>(row_scale, rows_);
  column_scale_ = Eigen::Map<const Eigen::VectorXd>(column_scale, n);
  Eigen::MatrixXd all(rows_, n);
  for (int j = 0; j < n; ++j) load_column(J, j, all.col(j).data());
  const PivotedQr qr(all);
  const Eigen::VectorXd pivots = qr.factors().diagonal().cwiseAbs();
  const auto declined = [&] {
    row_scale_ = rows_before;
    column_scale_ = columns_before;
    return false;
  };
  if (!all.allFinite()) return declined();
  const double limit = rank < 0 ? std::sqrt(threshold_) : least_pivot_;
  if (rank < 0) {
    rank = geometric_rank(J);
    if (rank > 0) least_pivot_ = std::max(RankThresholds::lost_pivot, lost_column * pivots[rank - 1] / pivots[0]);
  }
  if (rank > 0 && !(pivots[rank - 1] > least_pivot_ * pivots[0])) return declined();
  std::vector<int> order(qr.order().data(), qr.order().data() + n);
  const bool prefers = rank > 0 && std::find(first.begin(), first.end(), true) != first.end();
  if (prefers) order = pivots_after(all, first, limit * pivots[0]);
  order.resize(static_cast<std::size_t>(rank));
  std::sort(order.begin(), order.end());
  set_dependent(order);
  return true;
}

int CoordinatePartition::geometric_rank(const double* J) const {
  if (rows_ == 0) return 0;
  JacobianScales scales(*pattern_);
  scales.balance(J, column_scale_);
  return rank_of(singular_values(scales.balanced(J).topRows(rows_)).values, threshold_);
}

void CoordinatePartition::set_dependent(const std::vector<int>& dependent) {
  dependent_ = dependent;
  independent_.clear();
  for (int j = 0; j < pattern_->columns; ++j) {
    if (!std::binary_search(dependent_.begin(), dependent_.end(), j)) independent_.push_back(j);
  }
  make_block();
}

void CoordinatePartition::make_block() {
  block_.resize(rows_, rank());
  qr_ = PivotedQr(rows_, rank());
  x_.resize(rank());
  factorized_ = false;
}

EvaluationResult CoordinatePartition::factorize(const double* J) {
  factorized_ = false;
  ++factorizations_;
  const int r = rank();
  for (int k = 0; k < r; ++k) load_column(J, dependent_.data()[k], block_.col(k).data());
  if (r > 0) {
    qr_.compute(block_);
    const double first = std::abs(qr_.factors()(0, 0));
    const double last = std::abs(qr_.factors()(r - 1, r - 1));
    if (!std::isfinite(first + last)) return EvaluationResult::not_finite;
    if (!(last > least_pivot_ * first)) return EvaluationResult::rank_loss;
  }
  factorized_ = true;
  return EvaluationResult::ok;
}

/// Computes b <- J_d^+ b in scaled units, in the first `rank` entries of b. The reflections are applied one by one,
/// because householderQ() of Eigen allocates.
double CoordinatePartition::solve_scaled(double* b) {
  const int r = rank();
  if (r == 0) return 0.0;
  const Eigen::MatrixXd& qr = qr_.factors();
  right_ = Eigen::Map<const Eigen::VectorXd>(b, rows_);
  double scratch = 0.0;
  for (int k = 0; k < r; ++k)
    right_.tail(rows_ - k).applyHouseholderOnTheLeft(qr.col(k).tail(rows_ - k - 1), qr_.reflections()[k], &scratch);
  qr.topLeftCorner(r, r).triangularView<Eigen::Upper>().solveInPlace(right_.head(r));
  for (int k = 0; k < r; ++k) b[qr_.order()[k]] = right_[k];
  return right_.head(r).norm();
}

double CoordinatePartition::solve(double* b) {
  ++solutions_;
  for (int i = 0; i < rows_; ++i) b[i] *= row_scale_[i];
  const double norm = solve_scaled(b);
  for (std::size_t k = 0; k < dependent_.size(); ++k) b[k] *= column_scale_[dependent_[k]];
  return norm;
}

double CoordinatePartition::largest_influence(const double* J) {
  double largest = 0.0;
  if (rank() == 0) return largest;
  for (const int j : independent_) {
    load_column(J, j, work_.data());
    solve_scaled(work_.data());
    for (int k = 0; k < rank(); ++k) largest = std::max(largest, std::abs(work_[k]));
  }
  return largest;
}

}  // namespace sunlagrange::internal
