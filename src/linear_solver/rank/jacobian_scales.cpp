// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/rank/jacobian_scales.hpp"

#include <algorithm>
#include <cmath>

namespace sunlagrange::internal {

namespace {

constexpr double uncertain = 1e-7;  // share of a row below which an entry may be the error of a difference quotient
constexpr double settled = 1e-6;    // relative residual of the normal equations; the logarithms are wanted to 0.1 or so
constexpr Eigen::Index most_iterations = 100;  // what is left then is smooth over as many bodies: neighbours compare

}  // namespace

JacobianScales::JacobianScales(const SparsePattern& pattern)
    : pattern_(pattern),
      rows_(Eigen::VectorXd::Ones(pattern.rows)),
      columns_(Eigen::VectorXd::Ones(pattern.columns)),
      counts_(pattern.nonzeros()) {
  for (auto* x : {&x_, &right_, &residual_, &direction_, &image_}) x->setZero(pattern.rows + pattern.columns);
}

void JacobianScales::balance(const double* G, const Eigen::VectorXd& metric) {
  const Eigen::Index m = rows_.size();
  rows_.setZero();
  pattern_.for_each_entry([&](int i, int j, int k) { rows_[i] = std::max(rows_[i], std::abs(G[k]) * metric[j]); });
  right_.setZero();
  pattern_.for_each_entry([&](int i, int j, int k) {
    const double entry = std::abs(G[k]);
    const bool counts = std::isfinite(entry) && entry * metric[j] > uncertain * rows_[i];
    counts_[k] = counts ? 1.0 : 0.0;
    if (!counts) return;
    const double logarithm = std::log(entry);
    right_[i] -= logarithm;
    right_[m + j] -= logarithm;
  });
  solve();
  columns_ = x_.tail(columns_.size()).array().exp();
  rows_.setZero();
  pattern_.for_each_entry([&](int i, int j, int k) {
    if (counts_[k] != 0.0) rows_[i] += std::pow(G[k] * columns_[j], 2);
  });
  for (double& row : rows_) row = row > 0.0 ? 1.0 / std::sqrt(row) : 1.0;
}

Eigen::MatrixXd JacobianScales::balanced(const double* G) const {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(rows_.size(), columns_.size());
  pattern_.for_each_entry([&](int i, int j, int k) { matrix(i, j) = rows_[i] * G[k] * columns_[j]; });
  return matrix;
}

/// y = normal matrix of sum (log|G_ij| + x_i + x_j)^2 over the entries that count, times x.
void JacobianScales::apply(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
  const Eigen::Index m = rows_.size();
  y.setZero();
  const double *counts = counts_.data(), *of_rows = x.data(), *of_columns = of_rows + m;
  double *rows = y.data(), *columns = rows + m;
  for (int j = 0; j < pattern_.columns; ++j) {
    double sum = 0.0;
    pattern_.for_each_entry_of(j, [&](int i, int, int k) {
      const double term = counts[k] * (of_rows[i] + of_columns[j]);
      rows[i] += term;
      sum += term;
    });
    columns[j] = sum;
  }
}

/// Conjugate gradients: the matrix is singular (a factor that goes from rows to columns), the right-hand side lies in
/// its range.
void JacobianScales::solve() {
  x_.setZero();
  residual_ = direction_ = right_;
  double square = residual_.squaredNorm();
  const double wanted = settled * settled * square;
  for (Eigen::Index k = 0, end = std::min(most_iterations, 2 * x_.size()); k < end && square > wanted; ++k) {
    apply(direction_, image_);
    const double curvature = direction_.dot(image_);
    if (!(curvature > 0.0)) return;
    const double step = square / curvature;
    x_ += step * direction_;
    residual_ -= step * image_;
    const double next = residual_.squaredNorm();
    direction_ = residual_ + (next / square) * direction_;
    square = next;
  }
}

}  // namespace sunlagrange::internal
