// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/tolerances.hpp>
#include <sunlagrange/internal/pattern_matrix.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

#include "base/numerics.hpp"

namespace sunlagrange::internal {

/// Returns the size of positions, velocities or accelerations of a whole system: the largest |x_i| of the coordinates
/// whose natural scale is 1; if there are none, or all are zero, the largest |x_i| / s_i. (A charge grows as long as a
/// current flows, but the size of the mechanism that it drives does not.) Not finite if an entry is not finite.
template <class Vector>
double natural_size(const MechanicalSystem& system, const Vector& x) {
  if (system.natural_scales_are_one()) return max_abs_or_not_finite(x);
  const Eigen::VectorXd& scales = system.natural_scales();
  double of_scale_1 = 0.0, of_all = 0.0;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double value = std::abs(x[i]) / scales[i];
    if (!std::isfinite(value)) return value;
    of_all = std::max(of_all, value);
    if (scales[i] == 1.0) of_scale_1 = std::max(of_scale_1, value);
  }
  return of_scale_1 > 0.0 ? of_scale_1 : of_all;
}

/// Sizes of the coordinates, to which violations of rows and corrections are compared: for coordinate j the largest
/// |x_k| of all coordinates k with the same natural scale s_j, but at least s_j times the size of the whole.
class CoordinateSizes {
 public:
  explicit CoordinateSizes(const MechanicalSystem& system) {
    for (const double s : system.natural_scales()) {
      const auto known = std::find(scales_.begin(), scales_.end(), s);
      group_.push_back(known - scales_.begin());
      if (known == scales_.end()) scales_.push_back(s);
    }
    relative_ = scales_;
  }

  /// @param whole  natural_size() of x, or a larger number
  template <class Vector>
  void measure(const Vector& x, double whole) {
    whole_ = whole;
    relative_ = scales_;
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      double& relative = relative_[group(j)];
      relative = std::max(relative, std::abs(x[j]) / whole);
    }
  }

  /// Returns the size of coordinate j, in its unit.
  double operator()(Eigen::Index j) const { return relative(j) * whole_; }

  /// Returns the size of coordinate j divided by that of the whole. Numbers of coordinate j are divided by it to
  /// compare them with those of other coordinates.
  double relative(Eigen::Index j) const { return relative_[group(j)]; }

  /// Returns the largest |x_j| / relative(j).
  template <class Vector>
  double largest(const Vector& x) const {
    double largest = 0.0;
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      const double value = std::abs(x[j]) / relative(j);
      largest = std::isfinite(value) ? std::max(largest, value) : value;
    }
    return largest;
  }

 private:
  std::size_t group(Eigen::Index j) const { return static_cast<std::size_t>(group_[static_cast<std::size_t>(j)]); }

  std::vector<std::ptrdiff_t> group_;      // of each coordinate; a group has one natural scale
  std::vector<double> scales_, relative_;  // of the groups
  double whole_ = 1.0;
};

/// Gives coordinates without mass the largest mass, compared in natural scales as M_jj s_j^2. If all masses are zero
/// they stay so.
inline void assign_missing_masses(const MechanicalSystem& system, Eigen::VectorXd& mass) {
  const Eigen::VectorXd& scales = system.natural_scales();
  double largest = 0.0;
  for (Eigen::Index j = 0; j < mass.size(); ++j) largest = std::max(largest, mass[j] * (scales[j] * scales[j]));
  for (Eigen::Index j = 0; j < mass.size(); ++j) {
    if (!(mass[j] > 0.0)) mass[j] = largest / (scales[j] * scales[j]);
  }
}

/// The error that each coordinate may have by rtol and atol: the reciprocal of its error weight.
class ErrorTolerances {
 public:
  ErrorTolerances(const MechanicalSystem& system, const Tolerances& tolerances)
      : rtol_(tolerances.rtol), atol_(tolerances.atol * system.natural_scales()) {}

  /// Returns that of q_i: rtol |q_i| + atol s_i. That of v_i, with time = 1 s or the T of DAE forms: rtol |v_i| + atol
  /// s_i / time.
  double of(Eigen::Index i, double x, double time = 1.0) const { return rtol_ * std::abs(x) + atol_[i] / time; }

  /// Returns atol s_i.
  double absolute(Eigen::Index i) const { return atol_[i]; }

 private:
  double rtol_;
  Eigen::VectorXd atol_;
};

/// Rows that depend on a coordinate whose natural scale is not 1. Each of them is compared with its own entries, all
/// other rows with their common size: g of a junction is a volume, that of a pin a length.
class RowsOfOwnScale {
 public:
  explicit RowsOfOwnScale(const MechanicalSystem& system)
      : scales_(system.natural_scales()), none_(system.natural_scales_are_one()) {}

  /// Finds these rows from the entries of G, m rows.
  void update(const PatternMatrix& G, Eigen::Index m) {
    own_.assign(static_cast<std::size_t>(m), false);
    if (none_) return;
    G.for_each_entry([&](int i, int j, double entry) {
      if (entry != 0.0 && scales_[j] != 1.0) own_[static_cast<std::size_t>(i)] = true;
    });
  }

  bool operator()(Eigen::Index row) const { return own_[static_cast<std::size_t>(row)]; }

 private:
  Eigen::VectorXd scales_;
  bool none_;
  std::vector<bool> own_;
};

}  // namespace sunlagrange::internal
