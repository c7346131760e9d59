#include "linear_solver/weak_directions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear_algebra/dense_kernels.hpp"

namespace sunlagrange::internal {

namespace {

constexpr double rounding = 1e-13;  // relative eigenvalues below this are zeros plus rounding

}  // namespace

WeakDirections::WeakDirections(int m) : m_(m) {
  const auto size = static_cast<std::size_t>(m);
  for (auto* v : {&a_, &vectors_, &basis_}) v->resize(size * size);
  for (auto* v : {&values_, &weight_}) v->resize(size);
  order_.resize(size);
}

void WeakDirections::decompose(const double* a) {
  const int m = m_;
  for (int j = 0; j < m; ++j) {
    for (int i = j; i < m; ++i) a_.data()[j + i * m] = a_.data()[i + j * m] = a[i + j * m];
    for (int i = 0; i < m; ++i) vectors_.data()[i + j * m] = i == j ? 1.0 : 0.0;
  }
  for (int count = 0; count < 40 && sweep(); ++count) {
  }
  for (int i = 0; i < m; ++i) values_.data()[i] = a_.data()[i + i * m];
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [this](int k, int l) {
    return values_.data()[k] < values_.data()[l] || (values_.data()[k] == values_.data()[l] && k < l);
  });
}

bool WeakDirections::sweep() {
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
void WeakDirections::rotate(int p, int q) {
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

double WeakDirections::relative(int k) const {
  const double high = values_.data()[order_.back()];
  return high > 0.0 ? std::max(0.0, values_.data()[order_.data()[k]] / high) : 0.0;
}

int WeakDirections::count_below(double relative_value) const {
  int count = 0;
  while (count < m_ && relative(count) < relative_value) ++count;
  return count;
}

/// R u spans the combinations of rows that G^T takes to nothing. Gram-Schmidt, twice for rounding.
void WeakDirections::choose(double threshold, const double* row_scale) {
  lost_ = count_below(threshold);
  weak_ = count_below(10.0 * threshold);
  for (int k = 0; k < weak_; ++k) {
    const double x = relative(k);
    weight_.data()[k] = x > rounding ? taper(x / (10.0 * threshold)) : 0.0;
    double* b = basis_.data() + k * m_;
    const double* u = vectors_.data() + order_.data()[k] * m_;
    for (int i = 0; i < m_; ++i) b[i] = row_scale[i] * u[i];
    for (int pass = 0; pass < 2; ++pass) {
      for (int l = 0; l < k; ++l) {
        const double part = kernels::dot(basis(l), b, m_);
        for (int i = 0; i < m_; ++i) b[i] -= part * basis(l)[i];
      }
    }
    const double length = std::sqrt(kernels::dot(b, b, m_));
    for (int i = 0; i < m_; ++i) b[i] = length > 0.0 ? b[i] / length : u[i];  // a row without entries has no scale
  }
}

WeakestMode WeakDirections::weakest_mode(int lost) const {
  if (m_ <= lost) return {};
  const double* u = vectors_.data() + order_.data()[lost] * m_;
  int row = 0;
  for (int i = 1; i < m_; ++i) {
    if (std::abs(u[i]) > std::abs(u[row]) * (1.0 + 1e-9)) row = i;
  }
  return {std::min(1.0, relative(lost)), row};
}

}  // namespace sunlagrange::internal
