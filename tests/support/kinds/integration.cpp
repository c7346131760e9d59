// SPDX-License-Identifier: BSD-3-Clause
#include "kinds/integration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace sunlagrange::test::kinds {
namespace {

constexpr std::size_t columns = 9;
constexpr Real agreement = 1e-15L;  // of a step, relative to 1 + |y|

State midpoint_rule(const Rates& rates, const State& y, Real t, Real step, int parts) {
  const Real h = step / parts;
  State before = y, now = y;
  const State first = rates(t, y);
  for (std::size_t i = 0; i < y.size(); ++i) now[i] += h * first[i];
  for (int k = 1; k < parts; ++k) {
    const State slope = rates(t + k * h, now);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Real next = before[i] + 2 * h * slope[i];
      before[i] = now[i];
      now[i] = next;
    }
  }
  const State last = rates(t + step, now);
  for (std::size_t i = 0; i < y.size(); ++i) now[i] = (before[i] + now[i] + h * last[i]) / 2;
  return now;
}

/// Replaces y by its value after the step. @return columns used; 0 if they do not agree
std::size_t extrapolated(const Rates& rates, State& y, Real t, Real step) {
  std::array<State, columns> row;
  for (std::size_t k = 0; k < columns; ++k) {
    State value = midpoint_rule(rates, y, t, step, static_cast<int>(2 * (k + 1)));
    Real change = 0;
    for (std::size_t j = 0; j < k; ++j) {
      const Real ratio = Real(k + 1) / Real(k - j);
      State better = value;
      change = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        const Real correction = (value[i] - row[j][i]) / (ratio * ratio - 1);
        better[i] += correction;
        change = std::max(change, std::abs(correction) / (1 + std::abs(better[i])));
      }
      row[j] = value;
      value = better;
    }
    row[k] = value;
    if (k < 3 || !(change <= agreement)) continue;
    y = value;
    return k + 1;
  }
  return 0;
}

void follow_smooth(const Rates& rates, State& y, Real from, Real to) {
  Real t = from, step = (to - from) / 64;
  for (long count = 0; t < to; ++count) {
    if (count > 5000000) throw std::runtime_error("the reference takes too many steps");
    const bool last = t + step * 1.000001L >= to;
    const Real h = last ? to - t : step;
    const std::size_t used = extrapolated(rates, y, t, h);
    if (used == 0) {
      step = h / 2;
      continue;
    }
    t = last ? to : t + h;
    if (used < 7) step = h * 1.5L;
  }
}

}  // namespace

State integrated(const Rates& rates, State y, Real from, Real to, const std::vector<Real>& kinks) {
  Real t = from;
  for (const Real kink : kinks) {
    if (kink <= t || kink >= to) continue;
    follow_smooth(rates, y, t, kink);
    t = kink;
  }
  if (t < to) follow_smooth(rates, y, t, to);
  return y;
}

}  // namespace sunlagrange::test::kinds
