// SPDX-License-Identifier: BSD-3-Clause
#include "linear_algebra/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace sunlagrange::internal {

SymmetricEigen::SymmetricEigen(int most) {
  const auto size = static_cast<std::size_t>(most);
  a_.resize(size * size);
  vectors_.resize(size * size);
  values_.resize(size);
  order_.resize(size);
}

void SymmetricEigen::decompose(int k, const double* a) {
  k_ = k;
  for (int j = 0; j < k; ++j) {
    for (int i = j; i < k; ++i) a_[j + i * k] = a_[i + j * k] = a[i + j * k];
    for (int i = 0; i < k; ++i) vectors_[i + j * k] = i == j ? 1.0 : 0.0;
  }
  for (int count = 0; count < 40 && sweep(); ++count) {
  }
  for (int i = 0; i < k; ++i) values_[i] = a_[i + i * k];
  std::iota(order_.begin(), order_.begin() + k, 0);
  std::sort(order_.begin(), order_.begin() + k,
            [this](int p, int q) { return values_[p] < values_[q] || (values_[p] == values_[q] && p < q); });
}

bool SymmetricEigen::sweep() {
  const double* a = a_.data();
  double largest = 0.0;
  for (int p = 0; p < k_ * k_; ++p) largest = std::max(largest, std::abs(a[p]));
  bool changed = false;
  for (int p = 0; p < k_; ++p) {
    for (int q = p + 1; q < k_; ++q) {
      if (!(std::abs(a[p + q * k_]) > 2e-17 * largest)) continue;
      rotate(p, q);
      changed = true;
    }
  }
  return changed;
}

/// Annihilates entry (p, q) by a plane rotation of rows and columns p, q.
void SymmetricEigen::rotate(int p, int q) {
  const int k = k_;
  double* a = a_.data();
  const double apq = a[p + q * k];
  const double theta = (a[q + q * k] - a[p + p * k]) / (2.0 * apq);
  const double t = (theta >= 0.0 ? 1.0 : -1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
  const double c = 1.0 / std::sqrt(t * t + 1.0), s = t * c;
  const auto turn = [c, s](double& x, double& y) {
    const double x0 = x;
    x = c * x0 - s * y;
    y = s * x0 + c * y;
  };
  a[p + p * k] -= t * apq;
  a[q + q * k] += t * apq;
  a[p + q * k] = a[q + p * k] = 0.0;
  for (int i = 0; i < k; ++i) {
    turn(vectors_[i + p * k], vectors_[i + q * k]);
    if (i == p || i == q) continue;
    turn(a[i + p * k], a[i + q * k]);
    a[p + i * k] = a[i + p * k];
    a[q + i * k] = a[i + q * k];
  }
}

}  // namespace sunlagrange::internal
