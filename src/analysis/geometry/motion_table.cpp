// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/analysis/drive_forces.hpp>
#include <sunlagrange/base/setting.hpp>

namespace sunlagrange {

namespace {

constexpr std::size_t fewest_values = 4;  // of a cubic spline with not-a-knot ends

/// Returns the second derivatives b of the spline: h_k-1 b_k-1 + 2 (h_k-1 + h_k) b_k + h_k b_k+1 = 6 (slope_k -
/// slope_k-1) at the inner times, and (b_1 - b_0) / h_0 = (b_2 - b_1) / h_1 at the ends, where b_0 and the last b are
/// eliminated first.
std::vector<double> second_derivatives(const std::vector<double>& t, const std::vector<double>& s) {
  const std::size_t last = t.size() - 1;
  const auto h = [&t](std::size_t k) { return t[k + 1] - t[k]; };
  const auto slope = [&](std::size_t k) { return (s[k + 1] - s[k]) / h(k); };
  const double first_ratio = h(0) / h(1), last_ratio = h(last - 1) / h(last - 2);
  std::vector<double> b(t.size(), 0.0), diagonal(t.size(), 1.0), above(t.size(), 0.0);
  for (std::size_t k = 1; k < last; ++k) {
    double below = h(k - 1);
    diagonal[k] = 2.0 * (h(k - 1) + h(k));
    above[k] = h(k);
    if (k == 1) {
      diagonal[k] += h(0) * (1.0 + first_ratio);
      above[k] -= h(0) * first_ratio;
      below = 0.0;
    }
    if (k == last - 1) {
      diagonal[k] += h(k) * (1.0 + last_ratio);
      below -= h(k) * last_ratio;
      above[k] = 0.0;
    }
    const double factor = below / diagonal[k - 1];
    diagonal[k] -= factor * above[k - 1];
    b[k] = 6.0 * (slope(k) - slope(k - 1)) - factor * b[k - 1];
  }
  for (std::size_t k = last; k-- > 1;) b[k] = (b[k] - above[k] * b[k + 1]) / diagonal[k];
  b[0] = (1.0 + first_ratio) * b[1] - first_ratio * b[2];
  b[last] = (1.0 + last_ratio) * b[last - 1] - last_ratio * b[last - 2];
  return b;
}

}  // namespace

MotionTable::MotionTable(std::vector<double> times, std::vector<double> values)
    : times_(std::move(times)), values_(std::move(values)) {
  if (times_.size() != values_.size() || times_.size() < fewest_values)
    throw Error("MotionTable: " + std::to_string(values_.size()) + " values at " + std::to_string(times_.size()) +
                " times; give as many, " + std::to_string(fewest_values) + " at least: a motion has accelerations");
  for (std::size_t k = 0; k < times_.size(); ++k) {
    if (!std::isfinite(times_[k]) || !std::isfinite(values_[k]))
      throw Error("MotionTable: times, values: entry " + std::to_string(k) + ", " + text(values_[k]) +
                  " at t = " + text(times_[k]) + ", is not finite");
    if (k > 0 && !(times_[k] > times_[k - 1]))
      throw Error("MotionTable: times: t = " + text(times_[k]) + " is not later than the time before it, " +
                  text(times_[k - 1]));
  }
  bends_ = second_derivatives(times_, values_);
}

Taylor<double> MotionTable::operator()(const Taylor<double>& t) const {
  const auto above = std::upper_bound(times_.begin() + 1, times_.end() - 1, t.c0);
  const auto k = static_cast<std::size_t>(above - times_.begin()) - 1;
  const double h = times_[k + 1] - times_[k];
  const Taylor<double> a = (times_[k + 1] - t) * (1.0 / h), b = (t - times_[k]) * (1.0 / h);
  return a * values_[k] + b * values_[k + 1] +
         ((a * a * a - a) * bends_[k] + (b * b * b - b) * bends_[k + 1]) * (h * h / 6.0);
}

double MotionTable::acceleration_error() const {
  if (times_.size() < 2 * fewest_values) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> t, s;
  for (std::size_t k = 0; k < times_.size(); k += 2) {
    t.push_back(times_[k]);
    s.push_back(values_[k]);
  }
  const std::vector<double> coarse = second_derivatives(t, s);
  double change = 0.0, largest = 0.0;
  for (std::size_t k = 0; k < coarse.size(); ++k) {
    change = std::max(change, std::abs(coarse[k] - bends_[2 * k]));
    largest = std::max(largest, std::abs(bends_[2 * k]));
  }
  return largest > 0.0 ? change / (3.0 * largest) : 0.0;
}

}  // namespace sunlagrange
