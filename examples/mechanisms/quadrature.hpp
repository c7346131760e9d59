#pragma once

#include <cmath>

namespace sunlagrange::mechanisms {

/// Integral of a smooth f from 0 to t: Gauss-Legendre with five points on intervals of at most `piece`.
template <class F>
double integral_from_zero(F&& f, double t, double piece) {
  static const double outer = std::sqrt(5.0 + 2.0 * std::sqrt(10.0 / 7.0)) / 3.0;
  static const double inner = std::sqrt(5.0 - 2.0 * std::sqrt(10.0 / 7.0)) / 3.0;
  static const double nodes[] = {-outer, -inner, 0.0, inner, outer};
  static const double low = (322.0 - 13.0 * std::sqrt(70.0)) / 900.0;
  static const double high = (322.0 + 13.0 * std::sqrt(70.0)) / 900.0;
  static const double weights[] = {low, high, 128.0 / 225.0, high, low};
  const int count = 1 + static_cast<int>(std::abs(t) / piece);
  const double half = 0.5 * t / count;
  double sum = 0.0;
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < 5; ++i) sum += weights[i] * f(half * (2 * k + 1 + nodes[i]));
  }
  return half * sum;
}

}  // namespace sunlagrange::mechanisms
