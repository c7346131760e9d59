#include "linear_solver/rank_filter.hpp"

#include <algorithm>
#include <cmath>

#include "linear_algebra/dense_kernels.hpp"

namespace sunlagrange::internal {

namespace {

constexpr double rounding = 1e-13;  // eigenvalues of D S D below this (relative) are exact zeros plus rounding

using kernels::dot;

}  // namespace

RankFilter::RankFilter(int m) : m_(m) {
  const auto size = static_cast<std::size_t>(m);
  a_.resize(size * size);
  vectors_.resize(size * size);
  null_.resize(size * size);
  for (auto* v : {&scale_, &values_, &phi_, &work_}) v->resize(size);
}

void RankFilter::decompose(const double* s, const double* row_scale) {
  const int m = m_;
  double* a = a_.data();
  for (int i = 0; i < m; ++i) {
    scale_.data()[i] = row_scale[i] > 0.0 ? 1.0 / std::sqrt(row_scale[i]) : 0.0;  // a zero row is a lost direction
  }
  for (int j = 0; j < m; ++j) {
    for (int i = j; i < m; ++i) a[j + i * m] = a[i + j * m] = scale_.data()[i] * s[i + j * m] * scale_.data()[j];
    for (int i = 0; i < m; ++i) vectors_.data()[i + j * m] = i == j ? 1.0 : 0.0;
  }
  for (int count = 0; count < 40 && sweep(); ++count) {
  }
  for (int i = 0; i < m; ++i) values_.data()[i] = a[i + i * m];
}

bool RankFilter::sweep() {
  bool changed = false;
  for (int p = 0; p < m_; ++p) {
    for (int q = p + 1; q < m_; ++q) {
      if (!(std::abs(a_.data()[p + q * m_]) > 2e-17)) continue;
      rotate(p, q);
      changed = true;
    }
  }
  return changed;
}

/// Annihilates entry (p, q) by a plane rotation of rows and columns p, q.
void RankFilter::rotate(int p, int q) {
  const int m = m_;
  double* a = a_.data();
  const double apq = a[p + q * m];
  const double theta = (a[q + q * m] - a[p + p * m]) / (2.0 * apq);
  const double t = (theta >= 0.0 ? 1.0 : -1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
  const double c = 1.0 / std::sqrt(t * t + 1.0), s = t * c;
  const auto turn = [c, s](double& x, double& y) {
    const double x0 = x;
    x = c * x0 - s * y;
    y = s * x0 + c * y;
  };
  a[p + p * m] -= t * apq;
  a[q + q * m] += t * apq;
  a[p + q * m] = a[q + p * m] = 0.0;
  for (int i = 0; i < m; ++i) {
    turn(vectors_.data()[i + p * m], vectors_.data()[i + q * m]);
    if (i == p || i == q) continue;
    turn(a[i + p * m], a[i + q * m]);
    a[p + i * m] = a[i + p * m];
    a[q + i * m] = a[i + q * m];
  }
}

double RankFilter::relative_smallest() const {
  if (m_ == 0) return 1.0;
  const auto [low, high] = std::minmax_element(values_.begin(), values_.end());
  return *high > 0.0 ? std::max(0.0, *low / *high) : 0.0;
}

/// Beyond the `lost` smallest eigenvalues.
WeakestMode RankFilter::weakest_mode(int lost) const {
  if (m_ <= lost) return {};
  int column = 0;
  for (int k = 0; k < m_; ++k) {  // the eigenvalue with exactly `lost` before it in ascending order; m is small
    int before = 0;
    for (int other = 0; other < m_; ++other) {
      const double difference = values_[static_cast<std::size_t>(other)] - values_[static_cast<std::size_t>(k)];
      before += difference < 0.0 || (difference == 0.0 && other < k) ? 1 : 0;
    }
    if (before == lost) column = k;
  }
  const double high = *std::max_element(values_.begin(), values_.end());
  const double* u = vectors_.data() + column * m_;
  int row = 0;
  for (int i = 1; i < m_; ++i) {
    if (std::abs(u[i]) > std::abs(u[row]) * (1.0 + 1e-9)) row = i;
  }
  const double value = values_[static_cast<std::size_t>(column)];
  return {high > 0.0 ? std::min(1.0, std::max(0.0, value / high)) : 0.0, row};
}

int RankFilter::rank(double threshold) const {
  if (m_ == 0) return 0;
  const double limit = threshold * *std::max_element(values_.begin(), values_.end());
  return static_cast<int>(
      std::count_if(values_.begin(), values_.end(), [limit](double x) { return x > 0.0 && x >= limit; }));
}

void RankFilter::prepare(double threshold) {
  const int m = m_;
  const double sigma_max = m > 0 ? *std::max_element(values_.begin(), values_.end()) : 1.0;
  nullity_ = 0;
  for (int k = 0; k < m; ++k) {
    const double sigma = values_.data()[k];
    const bool null = !(sigma > rounding * sigma_max);
    phi_.data()[k] = null ? 0.0 : taper(sigma / (10.0 * threshold * sigma_max)) / sigma;
    if (!null) continue;
    double* u = null_.data() + nullity_ * m;  // D v spans the null space of S; Gram-Schmidt, twice for rounding
    for (int i = 0; i < m; ++i) u[i] = scale_.data()[i] * vectors_.data()[i + k * m];
    const double original = std::sqrt(dot(u, u, m));
    for (int pass = 0; pass < 2; ++pass) remove_null_part(u);
    const double norm = std::sqrt(dot(u, u, m));
    if (!(norm > 1e-8 * original)) continue;
    for (int i = 0; i < m; ++i) u[i] /= norm;
    ++nullity_;
  }
}

void RankFilter::apply(double* x) {
  const int m = m_;
  for (int i = 0; i < m; ++i) x[i] *= scale_.data()[i];
  for (int k = 0; k < m; ++k) work_.data()[k] = phi_.data()[k] * dot(vectors_.data() + k * m, x, m);
  std::fill(x, x + m, 0.0);
  for (int k = 0; k < m; ++k) {
    for (int i = 0; i < m; ++i) x[i] += work_.data()[k] * vectors_.data()[i + k * m];
  }
  for (int i = 0; i < m; ++i) x[i] *= scale_.data()[i];
}

void RankFilter::remove_null_part(double* lambda) const {
  for (int k = 0; k < nullity_; ++k) {
    const double* u = null_.data() + k * m_;
    const double part = dot(u, lambda, m_);
    for (int i = 0; i < m_; ++i) lambda[i] -= part * u[i];
  }
}

}  // namespace sunlagrange::internal
