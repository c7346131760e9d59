// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/rank/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/bisection.hpp>

namespace sunlagrange::internal {

Lanczos::Lanczos(int size) {
  for (auto* v : {&vector_, &previous_, &next_}) v->resize(size);
  for (auto* v : {&diagonal_, &beside_}) v->resize(most_steps);
}

void Lanczos::start() {
  steps_ = 0;
  fill_start_vector(vector_);
  std::fill(previous_.begin(), previous_.end(), 0.0);
}

bool Lanczos::add_step() {
  const double before = steps_ > 0 ? beside_[steps_ - 1] : 0.0;
  double along = 0.0;
  for (std::size_t i = 0; i < next_.size(); ++i) along += next_[i] * vector_[i];
  double rest = 0.0;
  for (std::size_t i = 0; i < next_.size(); ++i) {
    next_[i] -= along * vector_[i] + before * previous_[i];
    rest += next_[i] * next_[i];
  }
  rest = std::sqrt(rest);
  diagonal_[steps_] = along;
  beside_[steps_] = rest;
  ++steps_;
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  if (!std::isfinite(along) || !(rest > rounding * std::abs(along))) return false;
  std::swap(previous_, vector_);
  for (std::size_t i = 0; i < next_.size(); ++i) vector_[i] = next_[i] / rest;
  return true;
}

/// The pivots of T - x I are negative, all of them, if no eigenvalue is above x (Sturm).
bool Lanczos::has_eigenvalue_above(double x) const {
  double pivot = diagonal_[0] - x;
  for (int i = 1; i < steps_ && pivot < 0.0; ++i) pivot = diagonal_[i] - x - beside_[i - 1] * beside_[i - 1] / pivot;
  return !(pivot < 0.0);
}

double Lanczos::largest_of_tridiagonal(double at_least) const {
  if (!std::isfinite(diagonal_[steps_ - 1])) return diagonal_[steps_ - 1];
  if (!has_eigenvalue_above(at_least * (1.0 + 0.1 * tolerance))) return at_least;
  double low = at_least, high = 0.0;
  for (int i = 0; i < steps_; ++i) {
    low = std::max(low, diagonal_[i]);
    const double beside = (i > 0 ? beside_[i - 1] : 0.0) + (i + 1 < steps_ ? beside_[i] : 0.0);
    high = std::max(high, diagonal_[i] + beside);  // Gershgorin
  }
  return bisect([this](double x) { return has_eigenvalue_above(x); }, {low, high}, 0.1 * tolerance * low).in;
}

}  // namespace sunlagrange::internal
