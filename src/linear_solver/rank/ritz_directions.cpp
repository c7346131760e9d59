// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/rank/ritz_directions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sunlagrange::internal {

RitzDirections::RitzDirections(int m, int most) : m_(m), eigen_(most) {
  const std::ptrdiff_t rows = m, k = most;
  basis_.resize(rows * k);
  directions_.resize(rows * k);
  root_.resize(rows);
  for (auto* v : {&from_given_, &scratch_, &form_}) v->resize(k * k);
}

/// Gram-Schmidt, twice for rounding.
void RitzDirections::span(int k, const double* given, const double* weight) {
  k_ = k;
  std::copy(given, given + k * m_, basis_.data());
  for (int i = 0; i < m_; ++i) root_[i] = std::sqrt(weight[i]);
  const auto dot = [&](const double* x, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < m_; ++i) sum += x[i] * weight[i] * y[i];
    return sum;
  };
  const auto subtract = [](double c, const double* x, double* y, int size) {
    for (int i = 0; i < size; ++i) y[i] -= c * x[i];
  };
  for (int l = 0; l < k; ++l) {
    double *b = basis_.data() + l * m_, *t = from_given_.data() + l * k;
    for (int j = 0; j < k; ++j) t[j] = j == l ? 1.0 : 0.0;
    for (int pass = 0; pass < 2; ++pass) {
      for (int j = 0; j < l; ++j) {
        const double part = dot(basis(j), b);
        subtract(part, basis(j), b, m_);
        subtract(part, from_given_.data() + j * k, t, k);
      }
    }
    const double length = std::sqrt(dot(b, b)), inverse = length > 0.0 ? 1.0 / length : 0.0;
    for (int i = 0; i < m_; ++i) b[i] *= inverse;
    for (int j = 0; j < k; ++j) t[j] *= inverse;
  }
}

void RitzDirections::find(const double* form) {
  eigen_.decompose(k_, form);
  for (int l = 0; l < k_; ++l) {
    double* u = directions_.data() + l * m_;
    std::fill(u, u + m_, 0.0);
    for (int j = 0; j < k_; ++j) {
      const double share = eigen_.vector(l)[j];
      for (int i = 0; i < m_; ++i) u[i] += share * basis(j)[i];
    }
  }
}

void RitzDirections::find_from_given(const double* form) {
  const int k = k_;
  const double* t = from_given_.data();
  const auto at = [form, k](int i, int j) { return form[std::max(i, j) + std::min(i, j) * k]; };
  for (int l = 0; l < k; ++l) {
    for (int i = 0; i < k; ++i) {
      double sum = 0.0;
      for (int j = 0; j < k; ++j) sum += at(i, j) * t[j + l * k];
      scratch_[i + l * k] = sum;
    }
  }
  for (int l = 0; l < k; ++l) {
    for (int i = l; i < k; ++i) {
      double sum = 0.0;
      for (int j = 0; j < k; ++j) sum += t[j + i * k] * scratch_[j + l * k];
      form_[i + l * k] = sum;
    }
  }
  find(form_.data());
}

double RitzDirections::quotient(int l) const {
  return std::max(0.0, eigen_.value(l));
}

int RitzDirections::count_below(double value) const {
  int count = 0;
  while (count < k_ && quotient(count) < value) ++count;
  return count;
}

int RitzDirections::row(int l) const {
  const double* u = direction(l);
  int row = 0;
  const auto share = [&](int i) { return std::abs(u[i]) * root_[i]; };
  for (int i = 1; i < m_; ++i) {
    if (share(i) > share(row) * (1.0 + 1e-9)) row = i;
  }
  return row;
}

}  // namespace sunlagrange::internal
