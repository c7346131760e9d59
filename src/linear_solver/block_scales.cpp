#include "linear_solver/block_scales.hpp"

#include <algorithm>
#include <cmath>

namespace sunlagrange {

namespace {

constexpr double massless = 1e-16;  // relative to the largest diagonal entry

void inverse_roots(const std::vector<double>& from, std::vector<double>& to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = 1.0 / std::sqrt(from[i]);
}

void replace_zeros_by_largest(std::vector<double>& x) {
  double largest = 0.0;
  for (const double value : x) largest = std::max(largest, value);
  for (double& value : x) {
    if (!(value > 0.0)) value = largest > 0.0 ? largest : 1.0;
  }
}

}  // namespace

BlockScales::BlockScales(const BlockPattern& pattern) {
  const auto n = static_cast<std::size_t>(pattern.top_left.rows);
  const auto m = static_cast<std::size_t>(pattern.jacobian.rows);
  mass_.assign(n, 1.0);
  top_.assign(n, 1.0);
  right_.assign(m, 1.0);
  left_.assign(m, 1.0);
  schur_.assign(m, 1.0);
}

void BlockScales::row_sums(const SparsePattern& pattern, const double* values, std::vector<double>& sums) const {
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::size_t j = 0; j < mass_.size(); ++j) {
    if (!(mass_[j] > 0.0)) continue;
    const double inverse = 1.0 / mass_[j];
    for (auto k = static_cast<std::size_t>(pattern.column_start[j]);
         k < static_cast<std::size_t>(pattern.column_start[j + 1]); ++k) {
      sums[static_cast<std::size_t>(pattern.row_index[k])] += values[k] * values[k] * inverse;
    }
  }
}

/// One pass of mu_j = max_i G_ij^2 / schur_i over the rows that already have a value; true if a mass was found.
bool BlockScales::lend_masses(const SparsePattern& jacobian, const double* values) {
  bool found = false;
  for (std::size_t j = 0; j < mass_.size(); ++j) {
    if (mass_[j] > 0.0) continue;
    for (auto k = static_cast<std::size_t>(jacobian.column_start[j]);
         k < static_cast<std::size_t>(jacobian.column_start[j + 1]); ++k) {
      const double s = schur_[static_cast<std::size_t>(jacobian.row_index[k])];
      if (s > 0.0) mass_[j] = std::max(mass_[j], values[k] * values[k] / s);
    }
    found = found || mass_[j] > 0.0;
  }
  return found;
}

void BlockScales::compute(const BlockPattern& pattern, const BlockValues& values) {
  double largest = 0.0;
  for (std::size_t j = 0; j < mass_.size(); ++j) {
    const int slot = pattern.top_left.slot(static_cast<int>(j), static_cast<int>(j));
    mass_[j] = slot >= 0 ? std::abs(values.top_left[slot]) : 0.0;
    largest = std::max(largest, mass_[j]);
  }
  for (double& mass : mass_) {
    if (mass <= massless * largest) mass = 0.0;
  }
  row_sums(pattern.jacobian, values.jacobian, schur_);
  while (lend_masses(pattern.jacobian, values.jacobian)) row_sums(pattern.jacobian, values.jacobian, schur_);
  replace_zeros_by_largest(mass_);
  row_sums(pattern.jacobian, values.jacobian, schur_);
  replace_zeros_by_largest(schur_);
  inverse_roots(mass_, top_);
  inverse_roots(schur_, right_);
  left_ = right_;
  if (values.bottom_left != nullptr) {
    row_sums(pattern.bottom_left, values.bottom_left, left_);
    replace_zeros_by_largest(left_);
    inverse_roots(left_, left_);
  }
}

}  // namespace sunlagrange
