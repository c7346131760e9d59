// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include <sunlagrange/base/bisection.hpp>

namespace sunlagrange::internal {

/// Returns the distance from |x| to the next larger number.
inline double last_digit(double x) {
  return std::nextafter(std::abs(x), INFINITY) - std::abs(x);
}

/// Returns the shortest step from t that an integrator is asked for; a stop time nearer to t counts as reached.
inline double shortest_interval(double t) {
  return 1e3 * last_digit(t);
}

/// Returns x / size; x if there is no size.
inline double ratio(double x, double size) {
  return size > 0.0 ? x / size : x;
}

/// Returns max |x_i|; 0 if there are no entries. NaN entries do not count.
template <class Vector>
double max_abs(const Vector& x) {
  double largest[4] = {0.0, 0.0, 0.0, 0.0};  // four independent chains run in parallel
  const auto n = x.size();
  auto i = n - n;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) largest[k] = std::max(largest[k], std::abs(x[i + k]));
  }
  for (; i < n; ++i) largest[0] = std::max(largest[0], std::abs(x[i]));
  return std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
}

/// Returns true if x_0, ..., x_(n - 1) are finite. x: a pointer or a vector.
template <class Numbers, class Size>
bool are_finite(const Numbers& x, Size n) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};  // zero unless an entry is infinite or NaN; four independent chains
  Size i = 0;
  for (; i + 4 <= n; i += 4) {
    for (Size k = 0; k < 4; ++k) sum[k] += 0.0 * x[i + k];
  }
  for (; i < n; ++i) sum[0] += 0.0 * x[i];
  return sum[0] + sum[1] + sum[2] + sum[3] == 0.0;
}

/// Returns max |x_i|; not finite if an entry is not finite.
template <class Vector>
double max_abs_or_not_finite(const Vector& x) {
  const double largest = max_abs(x);
  return are_finite(x, x.size()) || std::isinf(largest) ? largest : NAN;
}

/// Returns true if each x_j - y_j is rounding relative to x_j or to the other entries, each counted up to its natural
/// scale.
template <class Vector, class Other, class Scales>
bool same_to_rounding(const Vector& x, const Other& y, const Scales& natural_scales) {
  const auto scale = natural_scales.array();
  const double largest = x.size() > 0 ? (x.array().abs() / scale).maxCoeff() : 0.0;
  if (!std::isfinite(largest)) return false;
  const auto allowed = 1e-14 * x.array().abs().max(std::min(largest, 1.0) * scale);
  return ((x - y).array().abs() <= allowed).all();
}

struct QuadraturePoint {
  double t;
  double weight;
};

/// Gauss-Legendre quadrature with three points over [t, t + h]: the sum of weight f(t) is the integral of f, + O(h^7).
inline std::array<QuadraturePoint, 3> gauss_points(double t, double h) {
  const double offset = std::sqrt(0.6);
  const double nodes[] = {0.5 - 0.5 * offset, 0.5, 0.5 + 0.5 * offset};
  const double weights[] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  std::array<QuadraturePoint, 3> points;
  for (std::size_t k = 0; k < 3; ++k) points[k] = {t + nodes[k] * h, h * weights[k]};
  return points;
}

/// Returns the largest x such that a condition holds on [0, x]: by steps up to `farthest`, then by bisection to 2^-40
/// of a step.
template <class Condition>
double end_of_stretch(Condition&& holds, double stride, double farthest) {
  double low = 0.0;
  while (low < farthest && holds(low + stride)) low += stride;
  return bisect(holds, {low, low + stride}, 0x1p-40 * stride).in;
}

/// State of a golden section search: the interval, and two values inside.
template <class Value>
struct GoldenSection {
  double low, high;
  double x_left, x_right;
  Value left, right;
  int cuts = 0;
};

/// Golden section search of f over [low, high] while `more(section)` is true. The part with the better of both values
/// is kept; better means smaller unless `better(left, right)` is given.
template <class F, class More, class Better = std::less<>>
auto golden_section(double low, double high, F&& f, More&& more, Better better = {}) {
  const double ratio = 0.5 * (std::sqrt(5.0) - 1.0);
  const double x_left = high - ratio * (high - low);
  const double x_right = low + ratio * (high - low);
  auto left = f(x_left);
  auto right = f(x_right);
  GoldenSection<decltype(left)> s{low, high, x_left, x_right, std::move(left), std::move(right)};
  for (; more(std::as_const(s)); ++s.cuts) {
    if (better(s.left, s.right)) {
      s.high = s.x_right;
      s.x_right = s.x_left;
      s.right = std::move(s.left);
      s.x_left = s.high - ratio * (s.high - s.low);
      s.left = f(s.x_left);
    } else {
      s.low = s.x_left;
      s.x_left = s.x_right;
      s.left = std::move(s.right);
      s.x_right = s.low + ratio * (s.high - s.low);
      s.right = f(s.x_right);
    }
  }
  return s;
}

}  // namespace sunlagrange::internal
