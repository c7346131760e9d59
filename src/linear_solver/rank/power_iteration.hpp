// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <vector>

#include "base/signed_vector.hpp"
#include "linear_solver/linear_solver.hpp"

namespace sunlagrange::internal {

/// Returns entry i of a fixed vector without symmetry: no mode of a regular mechanism is orthogonal to it.
inline double start_entry(std::size_t i) {
  const double x = static_cast<double>(i) * 0.6180339887498949;
  return (i % 2 == 0 ? 1.0 : -1.0) * (0.75 + 0.5 * (x - std::floor(x)));
}

inline void fill_start_vector(SignedVector<double>& u) {
  double sum = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = start_entry(i);
    sum += u[i] * u[i];
  }
  for (double& x : u) x /= std::sqrt(sum);
}

/// Iterates u <- apply(u) / |apply(u)| in place and returns |apply(u)|: the largest eigenvalue of a symmetric
/// positive operator (of the inverse operator: one over the smallest), from below.
template <class Apply>
double power_iteration(SignedVector<double>& u, int steps, double tolerance, Apply&& apply) {
  double value = 0.0;
  for (int step = 0; step < steps; ++step) {
    apply(u.data());
    double sum = 0.0;
    for (const double x : u) sum += x * x;
    const double previous = value;
    value = std::sqrt(sum);
    if (!(value > 0.0) || !std::isfinite(value)) return value;
    for (double& x : u) x /= value;
    if (std::abs(value - previous) <= tolerance * value) break;
  }
  return value;
}

/// Continues an inverse iteration from the last call, for which a few steps are enough along a path. A hundredth of the
/// start vector is added, because another mode may have become the largest (after a singular pose) and iteration from
/// an exact mode does not leave it. Returns the largest eigenvalue of the inverse operator, or NAN if it is not finite.
/// After 0 or NAN the next call starts from the fixed vector.
template <class Apply>
double follow_mode(SignedVector<double>& mode, Apply&& apply_inverse) {
  const bool fresh = mode.empty() || !(std::abs(mode[0]) <= 1.0);
  if (fresh) fill_start_vector(mode);
  const double share = fresh ? 0.0 : 0.01 / std::sqrt(static_cast<double>(mode.size()));
  for (std::size_t i = 0; i < mode.size(); ++i) mode[i] += share * start_entry(i);
  const double inverse = power_iteration(mode, fresh ? 60 : 6, fresh ? 1e-4 : 1e-3, apply_inverse);
  if (std::isfinite(inverse) && inverse > 0.0) return inverse;
  for (double& x : mode) x = NAN;
  return inverse == 0.0 ? 0.0 : NAN;
}

inline int largest_entry(const SignedVector<double>& u) {
  int row = -1;
  double best = -1.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    if (std::abs(u[i]) > best * (1.0 + 1e-9)) {
      best = std::abs(u[i]);
      row = static_cast<int>(i);
    }
  }
  return row;
}

}  // namespace sunlagrange::internal
