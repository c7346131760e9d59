#include "linear_solver/jacobian_scales.hpp"

#include <algorithm>
#include <cmath>

namespace sunlagrange::internal {

namespace {

constexpr double uncertain = 1e-7;  // share of a row below which an entry may be the error of a difference quotient
constexpr int most_sweeps = 60;
constexpr double settled = 0.02;  // largest relative change of a row scale that ends the sweeps

double inverse_length(double square, double otherwise) {
  return square > 0.0 && std::isfinite(square) ? 1.0 / std::sqrt(square) : otherwise;
}

}  // namespace

JacobianScales::JacobianScales(int rows, int columns)
    : rows_(Eigen::VectorXd::Ones(rows)), columns_(Eigen::VectorXd::Ones(columns)), sums_(rows) {}

void JacobianScales::balance(const SparsePattern& pattern, const double* G, const Eigen::VectorXd& start) {
  kept_.resize(pattern.nonzeros());
  columns_ = start;
  sums_.setZero();
  pattern.for_each_entry([&](int i, int j, int k) { sums_[i] = std::max(sums_[i], std::abs(G[k]) * start[j]); });
  pattern.for_each_entry([&](int i, int j, int k) {
    const double entry = std::abs(G[k]);
    kept_[k] = entry * start[j] > uncertain * sums_[i] ? entry * entry : 0.0;
  });
  rows_.setOnes();
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    sums_.setZero();
    pattern.for_each_entry([&](int i, int j, int k) { sums_[i] += kept_[k] * columns_[j] * columns_[j]; });
    double change = 0.0;
    for (Eigen::Index i = 0; i < rows_.size(); ++i) {
      const double row = inverse_length(sums_[i], 1.0);
      change = std::max(change, std::abs(row / rows_[i] - 1.0));
      rows_[i] = row;
    }
    if (sweep > 0 && change < settled) return;
    if (sweep + 1 == most_sweeps) return;
    for (int j = 0; j < pattern.columns; ++j) {
      double square = 0.0;
      pattern.for_each_entry_of(j, [&](int i, int, int k) { square += kept_[k] * rows_[i] * rows_[i]; });
      columns_[j] = inverse_length(square, start[j]);
    }
  }
}

}  // namespace sunlagrange::internal
