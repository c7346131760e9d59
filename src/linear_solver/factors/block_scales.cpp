// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/factors/block_scales.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear_algebra/vector_map.hpp"

namespace sunlagrange::internal {

namespace {

constexpr double no_mass = 1e-16;  // relative to the largest diagonal entry, both in natural scales

constexpr double light = 1e-3;     // of the mass of a coordinate that it is coupled with, both in natural scales
constexpr double mirrored = 0.99;  // share of a light diagonal entry that heavier coordinates explain

double square(double x) {
  return x * x;
}
double square(const Complex& x) {
  return x.real() * x.real() + x.imag() * x.imag();
}
double size_of(double x) {
  return std::abs(x);
}
double size_of(const Complex& x) {
  return std::sqrt(square(x));
}

/// Returns sum_k M_jk^2 / M_kk over the coordinates k that are much heavier than j. If this equals M_jj, then j has no
/// inertia of its own. Example: Euler parameters without norm inertia, near the identity.
template <class Scalar>
double mirror_of_heavier(int j, const SparsePattern& pattern, const Scalar* values, const Eigen::VectorXd& mass,
                         const Eigen::VectorXd& square_of_scale) {
  double sum = 0.0;
  pattern.for_each_entry_of(j, [&](int k, int, int e) {
    if (k != j && mass[j] * square_of_scale[j] < light * mass[k] * square_of_scale[k])
      sum += square(values[e]) / mass[k];
  });
  return sum;
}

void replace_zeros_by_largest(Eigen::VectorXd& x) {
  double largest = 0.0;
  for (const double value : x) largest = std::max(largest, value);
  for (double& value : x) {
    if (!(value > 0.0)) value = largest > 0.0 ? largest : 1.0;
  }
}

}  // namespace

BlockScales::BlockScales(const BlockPattern& pattern) {
  const int n = pattern.top_left.rows, m = pattern.jacobian.rows;
  for (auto* x : {&mass_, &top_}) x->setOnes(n);
  for (int j = 0; j < n; ++j) diagonal_.push_back(pattern.top_left.slot(j, j));
  massless_.assign(static_cast<std::size_t>(n), false);
  square_of_scale_.setOnes(n);
  if (pattern.natural_scales.size() == n) square_of_scale_ = pattern.natural_scales.cwiseAbs2();
  for (auto* x : {&right_, &left_, &schur_}) x->setOnes(m);
}

template <class Scalar>
void BlockScales::row_sums(const SparsePattern& pattern, const Scalar* values, Eigen::VectorXd& sums) const {
  sums.setZero();
  for (int j = 0; j < mass_.size(); ++j) {
    if (!(mass_[j] > 0.0)) continue;
    const double inverse = 1.0 / mass_[j];
    pattern.for_each_entry_of(j, [&](int i, int, int k) { sums[i] += square(values[k]) * inverse; });
  }
}

/// Computes mu_j = max_i G_ij^2 / schur_i over the rows that already have a value. Returns true if a mass was found.
bool BlockScales::transmit_masses(const SparsePattern& jacobian, const double* values) {
  bool found = false;
  for (int j = 0; j < mass_.size(); ++j) {
    if (mass_[j] > 0.0) continue;
    jacobian.for_each_entry_of(j, [&](int i, int, int k) {
      if (schur_[i] > 0.0) mass_[j] = std::max(mass_[j], values[k] * values[k] / schur_[i]);
    });
    found = found || mass_[j] > 0.0;
  }
  return found;
}

template <class Scalar>
void BlockScales::find_masses(const BlockPattern& pattern, const Scalar* top_left) {
  double largest = 0.0, smallest = std::numeric_limits<double>::infinity();
  const auto in_natural_scales = [&](int j) { return mass_[j] * square_of_scale_[j]; };
  for (int j = 0; j < mass_.size(); ++j) {
    const int slot = diagonal_[j];
    mass_[j] = slot >= 0 ? size_of(top_left[slot]) : 0.0;
    largest = std::max(largest, in_natural_scales(j));
    smallest = std::min(smallest, in_natural_scales(j));
  }
  all_with_mass_ = smallest >= light * largest && smallest > 0.0;
  if (all_with_mass_)
    massless_.assign(massless_.size(), false);
  else
    find_massless(pattern, top_left, largest);
  top_ = mass_.cwiseSqrt().cwiseInverse();
}

/// Finds the coordinates without inertia of their own and sets their mass to zero.
template <class Scalar>
void BlockScales::find_massless(const BlockPattern& pattern, const Scalar* top_left, double largest) {
  const auto in_natural_scales = [&](int j) { return mass_[j] * square_of_scale_[j]; };
  all_with_mass_ = true;
  for (int j = 0; j < mass_.size(); ++j) {
    massless_[static_cast<std::size_t>(j)] =
        in_natural_scales(j) <= no_mass * largest ||
        mirror_of_heavier(j, pattern.top_left, top_left, mass_, square_of_scale_) >= mirrored * mass_[j];
  }
  for (int j = 0; j < mass_.size(); ++j) {
    if (massless_[static_cast<std::size_t>(j)]) mass_[j] = 0.0;
    all_with_mass_ = all_with_mass_ && mass_[j] > 0.0;
  }
}

void BlockScales::compute(const BlockPattern& pattern, const BlockValues& values, const double* row_compliance,
                          bool same_H) {
  if (!same_H || !all_with_mass_) {
    pattern.complex ? find_masses(pattern, as_complex(values.top_left)) : find_masses(pattern, values.top_left);
  }
  row_sums(pattern.jacobian, values.jacobian, schur_);
  if (!all_with_mass_) {
    while (transmit_masses(pattern.jacobian, values.jacobian)) row_sums(pattern.jacobian, values.jacobian, schur_);
    mass_ = mass_.cwiseProduct(square_of_scale_);
    replace_zeros_by_largest(mass_);
    mass_ = mass_.cwiseQuotient(square_of_scale_);
    row_sums(pattern.jacobian, values.jacobian, schur_);
    top_ = mass_.cwiseSqrt().cwiseInverse();
  }
  const auto add_compliance = [&](Eigen::VectorXd& sums) {
    for (int i = 0, m = static_cast<int>(sums.size()); i < m && row_compliance != nullptr; ++i)
      sums[i] += row_compliance[i];
  };
  add_compliance(schur_);
  replace_zeros_by_largest(schur_);
  right_ = schur_.cwiseSqrt().cwiseInverse();
  left_ = right_;
  if (values.bottom_left != nullptr) {
    pattern.complex ? row_sums(pattern.bottom_left, as_complex(values.bottom_left), left_)
                    : row_sums(pattern.bottom_left, values.bottom_left, left_);
    add_compliance(left_);
    replace_zeros_by_largest(left_);
    left_ = left_.cwiseSqrt().cwiseInverse();
  }
}

double BlockScales::smallest_share(const double* reference) const {
  double share = 1.0;
  for (int i = 0, m = static_cast<int>(schur_.size()); i < m && reference != nullptr; ++i) {
    share = std::min(share, schur_[i] / reference[i]);
  }
  return share;
}

}  // namespace sunlagrange::internal
