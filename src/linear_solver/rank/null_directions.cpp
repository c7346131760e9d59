// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/rank/null_directions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

#include "linear_solver/rank/thresholds.hpp"

namespace sunlagrange::internal {

namespace {

constexpr int iterations = 12;

}  // namespace

int NullDirections::find(Factors& factors, const double* row_compliance,
                         const std::function<double(const double* u)>& weakness) {
  const std::ptrdiff_t m = m_;
  found_.resize((most_ + 1) * m);  // zero: not known
  u_.resize(m);
  top_.resize(n_);
  int count = 0;
  while (count <= most_ && iterate(count, factors, row_compliance, weakness)) ++count;
  return count;
}

bool NullDirections::iterate(int l, Factors& factors, const double* row_compliance,
                             const std::function<double(const double* u)>& weakness) {
  double *u = u_.data(), *result = direction(l);
  const auto dot = [&](const double* x, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < m_; ++i) sum += x[i] * row_compliance[i] * y[i];
    return sum;
  };
  std::copy(result, result + m_, u);
  if (!(dot(u, u) > 0.0)) {
    std::minstd_rand random(static_cast<unsigned>(l) + 1);  // each start gives one direction
    for (int i = 0; i < m_; ++i) u[i] = (static_cast<double>(random() % 1000) - 499.5) / std::sqrt(row_compliance[i]);
  }
  for (int step = 0; step < iterations; ++step) {
    for (int j = 0; j < l; ++j) {
      const double part = dot(direction(j), u);
      for (int i = 0; i < m_; ++i) u[i] -= part * direction(j)[i];
    }
    const double value = std::sqrt(dot(u, u));  // eigenvalue of the operator, from the second step on
    if (!std::isfinite(value) || !(value > 0.0) || (step > 2 && value < 0.5)) break;
    for (int i = 0; i < m_; ++i) result[i] = u[i] /= value;
    if (weakness(result) < RankThresholds::null_direction) return true;
    std::fill(top_.begin(), top_.end(), 0.0);
    for (int i = 0; i < m_; ++i) u[i] *= -row_compliance[i];
    factors.solve(top_.data(), u);
  }
  std::fill(result, result + m_, 0.0);
  return false;
}

}  // namespace sunlagrange::internal
