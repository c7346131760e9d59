#include "linear_solver/lost_directions.hpp"

#include <cmath>

#include "linear_algebra/dense_kernels.hpp"
#include "linear_solver/weak_directions.hpp"

namespace sunlagrange::internal {

namespace {

using kernels::dot;

double dot(const double* x, const double* weight, const double* y, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * weight[i] * y[i];
  return sum;
}

void subtract(double c, const double* x, double* y, int n) {
  for (int i = 0; i < n; ++i) y[i] -= c * x[i];
}

void scale(double c, double* x, int n) {
  for (int i = 0; i < n; ++i) x[i] *= c;
}

}  // namespace

void LostDirections::prepare() {
  if (!directions_.empty()) return;
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_), k = static_cast<std::size_t>(most());
  directions_.resize(k * m);
  responses_.resize(k * n);
  basis_.resize(k * m);
  sigma_.resize(k);
  before_.resize(m);
}

void LostDirections::forget() {
  weak_ = -1;
  vectors_ = deflated_ = 0;
  too_many_ = false;
}

int LostDirections::count_below(double sigma) const {
  int count = 0;
  for (int k = 0; k < weak_; ++k) count += sigma_.data()[k] < sigma ? 1 : 0;
  return count;
}

/// Fixed, without symmetry, and different for each k.
void LostDirections::start(int k) {
  double* u = direction(k);
  const double step = 0.6180339887498949 + 0.1414213562373095 * k;
  for (int i = 0; i < m_; ++i) {
    const double x = (i + 1) * step;
    u[i] = (i % 2 == 0 ? 1.0 : -1.0) * (0.25 + (x - std::floor(x)));
  }
  std::fill(response(k), response(k) + n_, 0.0);
}

/// Orthogonal to the directions before it, and of length one, in the metric of Delta.
void LostDirections::normalize(const double* delta, int k) {
  double* u = direction(k);
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int l = 0; l < k; ++l) {
        const double c = dot(direction(l), delta, u, m_);
        subtract(c, direction(l), u, m_);
        subtract(c, response(l), response(k), n_);
      }
    }
    const double length = std::sqrt(dot(u, delta, u, m_));
    if (length > 0.0 && std::isfinite(length)) {
      scale(1.0 / length, u, m_);
      scale(1.0 / length, response(k), n_);
      return;
    }
    start(k);
  }
}

void LostDirections::swap(int k, int l) {
  std::swap_ranges(direction(k), direction(k) + m_, direction(l));
  std::swap_ranges(response(k), response(k) + n_, response(l));
}

/// From (S + Delta) u = Delta before: u^T S u = u^T Delta (before - u).
double LostDirections::sigma_of(const double* delta, int k) const {
  const double* u = direction(k);
  double sum = 0.0;
  for (int i = 0; i < m_; ++i) sum += u[i] * delta[i] * (before_.data()[i] - u[i]);
  return std::max(0.0, sum / dot(u, u, m_));
}

void LostDirections::filter(const double* delta, double weak, const double* f, double* b) const {
  for (int k = 0; k < weak_; ++k) {
    const double* u = direction(k);
    const double asked = dot(response(k), f, n_) - dot(u, b, m_);
    const double c = (1.0 - WeakDirections::taper(sigma_.data()[k] / weak)) * asked;
    for (int i = 0; i < m_; ++i) b[i] += c * delta[i] * u[i];
  }
}

void LostDirections::prepare_deflation(int lost, const double* weight) {
  deflated_ = std::min(lost, std::max(0, weak_));
  for (int k = 0; k < deflated_; ++k) {
    double* y = basis_.data() + static_cast<std::ptrdiff_t>(k) * m_;
    for (int i = 0; i < m_; ++i) y[i] = direction(k)[i] / weight[i];
    for (int pass = 0; pass < 2; ++pass) {
      for (int l = 0; l < k; ++l) {
        const double* x = basis_.data() + static_cast<std::ptrdiff_t>(l) * m_;
        subtract(dot(x, y, m_), x, y, m_);
      }
    }
    scale(1.0 / std::sqrt(dot(y, y, m_)), y, m_);
  }
}

void LostDirections::deflate(double* y) const {
  for (int k = 0; k < deflated_; ++k) {
    const double* x = basis_.data() + static_cast<std::ptrdiff_t>(k) * m_;
    subtract(dot(x, y, m_), x, y, m_);
  }
}

}  // namespace sunlagrange::internal
