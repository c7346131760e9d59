// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include <sunlagrange/internal/difference_step.hpp>
#include <sunlagrange/internal/local_element.hpp>
#include <sunlagrange/internal/quantities.hpp>

/// Derivatives of members that are written for plain double.
namespace sunlagrange::internal {

inline constexpr double step_second = 1e-4;  // second differences along the motion: error about 1e-8

/// Calls add(x, j, scale) with x = base +- h e_j and scale = +-1/(2h).
template <class E, class Add>
bool central_difference(const LocalElement<E>& l, const double* base, Add&& add) {
  Vector<double, E> x(l);
  for (int i = 0; i < l.n; ++i) x[i] = base[i];
  for (int j = 0; j < l.n; ++j) {
    const double h = difference_step * (1.0 + std::abs(base[j]));
    x[j] = base[j] + h;
    if (!add(x.data(), j, 0.5 / h)) return false;
    x[j] = base[j] - h;
    if (!add(x.data(), j, -0.5 / h)) return false;
    x[j] = base[j];
  }
  return true;
}

/// Calls use(k, t + k s, q + k s v) for k = -1, 0, 1.
template <class E, class Use>
bool along_motion(const LocalElement<E>& l, const Point& at, Use&& use) {
  Vector<double, E> x(l);
  for (int k = -1; k <= 1; ++k) {
    const double s = k * step_second;
    for (int i = 0; i < l.n; ++i) x[i] = at.q[i] + s * at.v[i];
    if (!use(k, at.t + s, x.data())) return false;
  }
  return true;
}

}  // namespace sunlagrange::internal
