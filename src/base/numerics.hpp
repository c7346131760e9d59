#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include <sunlagrange/base/bisection.hpp>

namespace sunlagrange::internal {

/// Distance of |x| to the next larger number.
inline double last_digit(double x) {
  return std::nextafter(std::abs(x), INFINITY) - std::abs(x);
}

/// A stop nearer to t than this is none.
inline double shortest_stretch(double t) {
  return 1e3 * last_digit(t);
}

/// max |x_i|, 0 if there are none; entries that are not a number do not count.
template <class Vector>
double max_abs(const Vector& x) {
  double largest[4] = {0.0, 0.0, 0.0, 0.0};  // four, which need not wait for each other
  const auto n = x.size();
  auto i = n - n;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) largest[k] = std::max(largest[k], std::abs(x[i + k]));
  }
  for (; i < n; ++i) largest[0] = std::max(largest[0], std::abs(x[i]));
  return std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
}

/// Whether x_0, ..., x_(n - 1) are. x: a pointer or a vector.
template <class Numbers, class Size>
bool are_finite(const Numbers& x, Size n) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};  // stay zero unless an entry is infinite or NaN; four, which need not wait
  Size i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) sum[k] += 0.0 * x[i + k];
  }
  for (; i < n; ++i) sum[0] += 0.0 * x[i];
  return sum[0] + sum[1] + sum[2] + sum[3] == 0.0;
}

/// max |x_i|; not finite where an entry is not: infinite if one is.
template <class Vector>
double max_abs_or_not_finite(const Vector& x) {
  const double largest = max_abs(x);
  return are_finite(x, x.size()) || std::isinf(largest) ? largest : NAN;
}

/// Is each x_j - y_j rounding beside x_j or beside the others, of which none counts for more than its natural scale?
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

/// Gauss-Legendre with three points over [t, t + h]: sum of weight f(t) = integral of f + O(h^7).
inline std::array<QuadraturePoint, 3> gauss_points(double t, double h) {
  const double offset = std::sqrt(0.6);
  const double nodes[] = {0.5 - 0.5 * offset, 0.5, 0.5 + 0.5 * offset};
  const double weights[] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  std::array<QuadraturePoint, 3> points;
  for (std::size_t k = 0; k < 3; ++k) points[k] = {t + nodes[k] * h, h * weights[k]};
  return points;
}

/// End of the stretch [0, x] on which a condition holds: in strides up to `farthest`, then by bisection to 2^-40 of
/// one.
template <class Condition>
double end_of_stretch(Condition&& holds, double stride, double farthest) {
  double low = 0.0;
  while (low < farthest && holds(low + stride)) low += stride;
  return bisect(holds, {low, low + stride}, 0x1p-40 * stride).in;
}

/// What a golden section search knows: the interval and two values inside.
template <class Value>
struct GoldenSection {
  double low, high;
  double x_left, x_right;
  Value left, right;
  int cuts = 0;
};

/// Golden section search of f over [low, high], cut as long as `more(section)`: the side of the better of both values
/// is kept, that of the smaller one unless `better(left, right)` says otherwise.
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
