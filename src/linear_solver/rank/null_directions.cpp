#include "linear_solver/rank/null_directions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

namespace sunlagrange::internal {

namespace {

constexpr double exactly_lost = 1e-20;  // of |G^T u|^2: what may still be asked of u moves by 1e-10 in it
constexpr int iterations = 12;

}  // namespace

int NullDirections::find(Factors& factors, const double* lent, const std::function<double(const double* u)>& weakness) {
  const auto m = static_cast<std::size_t>(m_);
  found_.resize((static_cast<std::size_t>(most_) + 1) * m);  // zeros: none is known
  u_.resize(m);
  top_.resize(static_cast<std::size_t>(n_));
  int count = 0;
  while (count <= most_ && approach(count, factors, lent, weakness)) ++count;
  return count;
}

bool NullDirections::approach(int l, Factors& factors, const double* lent,
                              const std::function<double(const double* u)>& weakness) {
  double *u = u_.data(), *result = direction(l);
  const auto dot = [&](const double* x, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < m_; ++i) sum += x[i] * lent[i] * y[i];
    return sum;
  };
  std::copy(result, result + m_, u);
  if (!(dot(u, u) > 0.0)) {
    std::minstd_rand random(static_cast<unsigned>(l) + 1);  // another start for each: one lost part is all that one has
    for (int i = 0; i < m_; ++i) u[i] = (static_cast<double>(random() % 1000) - 499.5) / std::sqrt(lent[i]);
  }
  for (int step = 0; step < iterations; ++step) {
    for (int j = 0; j < l; ++j) {
      const double part = dot(direction(j), u);
      for (int i = 0; i < m_; ++i) u[i] -= part * direction(j)[i];
    }
    const double value = std::sqrt(dot(u, u));  // of the operator, from the second step on
    if (!std::isfinite(value) || !(value > 0.0) || (step > 2 && value < 0.5)) break;
    for (int i = 0; i < m_; ++i) result[i] = u[i] /= value;
    if (weakness(result) < exactly_lost) return true;
    std::fill(top_.begin(), top_.end(), 0.0);
    for (int i = 0; i < m_; ++i) u[i] *= -lent[i];
    factors.solve(top_.data(), u);
  }
  std::fill(result, result + m_, 0.0);
  return false;
}

}  // namespace sunlagrange::internal
