// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/rank/lost_directions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/signed_vector.hpp"
#include "linear_algebra/dense_kernels.hpp"
#include "linear_solver/rank/thresholds.hpp"

namespace sunlagrange::internal {

namespace {

using kernels::dot;

void add(double c, const double* x, double* y, int n) {
  for (int i = 0; i < n; ++i) y[i] += c * x[i];
}

}  // namespace

LostDirections::LostDirections(int n, int m) : n_(n), m_(m) {
  row_compliance_.assign(m, 0.0);
}

void LostDirections::prepare() {
  if (!form_.empty()) return;
  constexpr std::ptrdiff_t k = most;
  const std::ptrdiff_t n = n_, m = m_;
  for (Solutions* s : {&w_, &v_}) {
    s->a.resize(k * n);
    s->lambda.resize(k * m);
  }
  basis_.resize(k * m);
  weighted_.resize(k * m);
  for (auto* x : {&form_, &s_of_c_}) x->resize(k * k);
  border_.resize(4 * k * k);
  unit_.resize(2 * k * k);
  x_.resize(2 * k);
  weight_.resize(k);
  border_pivot_.resize(2 * k);
  s_pivot_.resize(k);
}

void LostDirections::relax(const SignedVector<int>& rows, const double* d) {
  if (rows.empty() && rows_.empty() && !removes_ && weak_ == 0) return;
  for (const int i : rows_) row_compliance_[i] = 0.0;
  rows_ = rows;
  root_.clear();
  for (const int i : rows_) {
    row_compliance_[i] = d[i];
    root_.push_back(std::sqrt(d[i]));
  }
  weak_ = free_ = 0;
  removes_ = false;
  if (!rows_.empty()) prepare();
}

/// Solves K' (a, w) = (0, -sqrt(d_i) e_i), which is (S + E E^T) w = sqrt(d_i) e_i.
void LostDirections::solve_responses(Factors& factors) {
  const int k = relaxed();
  weak_ = free_ = 0;
  for (int l = 0; l < k; ++l) {
    double *a = column(w_.a, n_, l), *w = column(w_.lambda, m_, l);
    std::fill(a, a + n_, 0.0);
    std::fill(w, w + m_, 0.0);
    w[rows_[l]] = -root_[l];
    factors.solve(a, w);
  }
  const auto p = [this](int i, int l) { return root_[i] * column(w_.lambda, m_, l)[rows_[i]]; };
  for (int l = 0; l < k; ++l) {
    for (int i = l; i < k; ++i) {
      double sum = 0.5 * (p(i, l) + p(l, i));
      for (int j = 0; j < k; ++j) sum -= p(j, i) * p(j, l);
      form_[i + l * k] = sum;
    }
  }
}

/// Gaussian elimination of the directions with complete pivoting; entries have the units of the rows.
SignedVector<int> LostDirections::best_rows(const RitzDirections& directions, int count, const double* d) {
  SignedVector<int> rows;
  for (int l = 0; l < count; ++l) {
    for (int i = 0; i < m_; ++i) column(basis_, m_, l)[i] = std::sqrt(d[i]) * directions.direction(l)[i];
  }
  for (int step = 0; step < count; ++step) {
    int row = -1, from = step;
    double best = 0.0;
    for (int l = step; l < count; ++l) {
      for (int i = 0; i < m_; ++i) {
        const double size = std::abs(column(basis_, m_, l)[i]);
        if (!(size > best * (1.0 + 1e-9))) continue;
        best = size;
        row = i;
        from = l;
      }
    }
    if (row < 0) break;
    rows.push_back(row);
    std::swap_ranges(column(basis_, m_, from), column(basis_, m_, from) + m_, column(basis_, m_, step));
    const double* pivot = column(basis_, m_, step);
    for (int l = step + 1; l < count; ++l) {
      double* u = column(basis_, m_, l);
      add(-u[row] / pivot[row], pivot, u, m_);
      u[row] = 0.0;
    }
  }
  return rows;
}

/// Appends a direction to the basis U by Gram-Schmidt orthogonalisation, twice for rounding.
const double* LostDirections::basis_vector(const double* direction, int l, const double* weights) {
  double* u = column(basis_, m_, l);
  std::copy(direction, direction + m_, u);
  for (int pass = 0; pass < 2; ++pass) {
    for (int j = 0; j < l; ++j) add(-dot(column(basis_, m_, j), u, m_), column(basis_, m_, j), u, m_);
  }
  const double length = std::sqrt(dot(u, u, m_));
  double* y = column(weighted_, m_, l);
  for (int i = 0; i < m_; ++i) {
    u[i] /= length;
    y[i] = weights != nullptr ? weights[i] * u[i] : u[i];
  }
  return u;
}

/// Factorises U^T diag(w) U.
void LostDirections::find_removal(const double* weights) {
  removes_ = true;
  has_weights_ = weights != nullptr;
  if (!has_weights_) return;
  for (int l = 0; l < weak_; ++l) {
    for (int k = 0; k < weak_; ++k) s_of_c_[k + l * weak_] = dot(column(weighted_, m_, k), column(basis_, m_, l), m_);
  }
  has_weights_ = kernels::factorize_lu(weak_, s_of_c_.data(), s_pivot_.data(), 0.0);
}

void LostDirections::project(const RitzDirections& directions, const double* weights) {
  weak_ = relaxed();
  for (int l = 0; l < weak_; ++l) basis_vector(directions.direction(l), l, weights);
  find_removal(weights);
}

void LostDirections::project(int count, const double* directions, const double* weights) {
  prepare();
  weak_ = count;
  for (int l = 0; l < count; ++l) basis_vector(directions + static_cast<std::ptrdiff_t>(l) * m_, l, weights);
  find_removal(weights);
}

bool LostDirections::border(Factors& factors, const RitzDirections& directions, int weak, double limit, double largest,
                            int redundant, const double* weights) {
  const int p = relaxed(), size = p + weak;
  free_ = 0;
  for (int l = 0; l < weak; ++l) {
    const double quotient = directions.quotient(l);
    weight_[l] = quotient > RankThresholds::rounding * largest ? taper(quotient / limit) : 0.0;
    const double* u = basis_vector(directions.direction(l), l, l < redundant ? weights : nullptr);
    double *a = column(v_.a, n_, l), *v = column(v_.lambda, m_, l);
    std::fill(a, a + n_, 0.0);
    std::copy(u, u + m_, v);
    factors.solve(a, v);
  }
  // [ I - E^T W   E^T V ] [ z ]   [ E^T lambda     ]      lambda, a: of K' for f, b; the solution is
  // [ -U^T W      U^T V ] [ s ] = [ U^T lambda - c ]      that of K' - V s + W z; U^T: U^T diag(w)
  double* matrix = border_.data();
  for (int l = 0; l < p; ++l) {
    const double* w = column(w_.lambda, m_, l);
    for (int i = 0; i < p; ++i) matrix[i + l * size] = (i == l ? 1.0 : 0.0) - root_[i] * w[rows_[i]];
    for (int i = 0; i < weak; ++i) matrix[p + i + l * size] = -dot(column(weighted_, m_, i), w, m_);
  }
  for (int l = 0; l < weak; ++l) {
    const double* v = column(v_.lambda, m_, l);
    for (int i = 0; i < p; ++i) matrix[i + (p + l) * size] = root_[i] * v[rows_[i]];
    for (int i = 0; i < weak; ++i) matrix[p + i + (p + l) * size] = dot(column(weighted_, m_, i), v, m_);
  }
  if (!kernels::factorize_lu(size, matrix, border_pivot_.data(), 0.0)) return false;
  weak_ = weak;
  while (free_ < weak && !(weight_[free_] > 0.0)) ++free_;
  const int tapered = weak - free_;
  for (int l = 0; l < tapered; ++l) {
    double* x = column(unit_, size, l);
    std::fill(x, x + size, 0.0);
    x[p + free_ + l] = -1.0;
    kernels::solve_lu(size, matrix, border_pivot_.data(), x);
    for (int i = 0; i < tapered; ++i) s_of_c_[i + l * tapered] = x[p + free_ + i];
  }
  if (tapered > 0 && !kernels::factorize_lu(tapered, s_of_c_.data(), s_pivot_.data(), 0.0)) free_ = weak;
  return true;
}

void LostDirections::remove(double* x) {
  for (int l = 0; l < weak_; ++l) add(-dot(column(basis_, m_, l), x, m_), column(basis_, m_, l), x, m_);
}

void LostDirections::solve(Factors& factors, double* top, double* bottom) {
  if (removes_) remove(bottom);
  factors.solve(top, bottom);
  if (removes_ && !has_weights_) return remove(bottom);
  if (removes_) {
    double c[most];
    for (int l = 0; l < weak_; ++l) c[l] = dot(column(weighted_, m_, l), bottom, m_);
    kernels::solve_lu(weak_, s_of_c_.data(), s_pivot_.data(), c);
    for (int l = 0; l < weak_; ++l) add(-c[l], column(basis_, m_, l), bottom, m_);
    return;
  }
  if (weak_ == 0) return;
  const int p = relaxed(), size = p + weak_, tapered = weak_ - free_;
  double *x = x_.data(), *s = x + p;
  for (int l = 0; l < p; ++l) x[l] = root_[l] * bottom[rows_[l]];
  for (int l = 0; l < weak_; ++l) s[l] = dot(column(weighted_, m_, l), bottom, m_);
  kernels::solve_lu(size, border_.data(), border_pivot_.data(), x);
  if (tapered > 0) {
    double c[most];
    for (int l = 0; l < tapered; ++l) c[l] = -s[free_ + l];
    kernels::solve_lu(tapered, s_of_c_.data(), s_pivot_.data(), c);
    for (int l = 0; l < tapered; ++l) add(weight_[free_ + l] * c[l], column(unit_, size, l), x, size);
  }
  for (int l = 0; l < p; ++l) {
    add(x[l], column(w_.a, n_, l), top, n_);
    add(x[l], column(w_.lambda, m_, l), bottom, m_);
  }
  for (int l = 0; l < weak_; ++l) {
    add(-s[l], column(v_.a, n_, l), top, n_);
    add(-s[l], column(v_.lambda, m_, l), bottom, m_);
  }
}

}  // namespace sunlagrange::internal
