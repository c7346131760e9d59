#pragma once

#include <cmath>
#include <cstddef>

namespace sunlagrange::internal::kernels {

// Column-major loops whose inner index runs down a column, so that compilers vectorise them and small systems pay no
// call overhead. `Size` is int, or a
// type of one value for the sizes that deserve unrolling.

inline double dot(const double* x, const double* y, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

/// A = L D L^T in place (lower triangle; L has a unit diagonal). inverse_pivot = 1/D.
///
/// @param diagonal  the diagonal of A before the call: a pivot below floor * diagonal counts as lost
/// @return false at the first lost or NaN pivot
template <class Size>
bool factorize_ldlt(Size n, double* a, double* inverse_pivot, const double* diagonal, double floor) {
  for (int k = 0; k < n; ++k) {
    double* column = a + k * n;
    const double pivot = column[k];
    if (!(pivot > floor * diagonal[k])) return false;
    const double inverse = 1.0 / pivot;
    inverse_pivot[k] = inverse;
    for (int j = k + 1; j < n; ++j) {
      const double l = column[j] * inverse;
      double* target = a + j * n;
      for (int i = j; i < n; ++i) target[i] -= column[i] * l;
    }
    for (int i = k + 1; i < n; ++i) column[i] *= inverse;
  }
  return true;
}

/// x <- L^-1 x, L unit lower.
template <class Size, class Scalar>
void solve_lower(Size n, const Scalar* l, Scalar* x) {
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) x[i] -= l[i + k * n] * x[k];
  }
}

/// x <- L^-T x, L unit lower.
template <class Size>
void solve_lower_transposed(Size n, const double* l, double* x) {
  for (int k = n - 1; k >= 0; --k) {
    double sum = x[k];
    for (int i = k + 1; i < n; ++i) sum -= l[i + k * n] * x[i];
    x[k] = sum;
  }
}

template <class Size>
void solve_ldlt(Size n, const double* l, const double* inverse_pivot, double* x) {
  solve_lower(n, l, x);
  for (int k = 0; k < n; ++k) x[k] *= inverse_pivot[k];
  solve_lower_transposed(n, l, x);
}

/// Z <- Z L^-T with Z m x n, L n x n unit lower: the rows of Z are right-hand sides of L.
template <class SizeM, class SizeN>
void solve_lower_on_rows(SizeM m, SizeN n, const double* l, double* z) {
  for (int k = 1; k < n; ++k) {
    for (int j = 0; j < k; ++j) {
      const double factor = l[k + j * n];
      for (int i = 0; i < m; ++i) z[i + k * m] -= factor * z[i + j * m];
    }
  }
}

/// S = Z diag(w) Z^T, lower triangle.
template <class SizeM, class SizeN>
void weighted_outer_product(SizeM m, SizeN n, const double* z, const double* w, double* s) {
  for (int j = 0; j < m; ++j) {
    for (int i = j; i < m; ++i) s[i + j * m] = 0.0;
    for (int k = 0; k < n; ++k) {
      const double factor = w[k] * z[j + k * m];
      for (int i = j; i < m; ++i) s[i + j * m] += factor * z[i + k * m];
    }
  }
}

/// P A = L U in place with partial pivoting; false if a pivot is not above `floor` (absolute: equilibrate first), or
/// not finite. Real or complex.
template <class Scalar>
bool factorize_lu(int n, Scalar* a, int* pivot_row, double floor) {
  for (int k = 0; k < n; ++k) {
    Scalar* column = a + k * n;
    int p = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[p])) p = i;
    }
    const double size = std::abs(column[p]);
    if (!(size > floor) || !std::isfinite(size)) return false;
    pivot_row[k] = p;
    if (p != k) {
      for (int j = 0; j < n; ++j) {
        const Scalar swapped = a[k + j * n];
        a[k + j * n] = a[p + j * n];
        a[p + j * n] = swapped;
      }
    }
    const Scalar inverse = 1.0 / column[k];
    for (int i = k + 1; i < n; ++i) column[i] *= inverse;
    for (int j = k + 1; j < n; ++j) {
      Scalar* target = a + j * n;
      const Scalar u = target[k];
      if (u == 0.0) continue;
      for (int i = k + 1; i < n; ++i) target[i] -= column[i] * u;
    }
  }
  return true;
}

template <class Scalar>
void solve_lu(int n, const Scalar* a, const int* pivot_row, Scalar* x) {
  for (int k = 0; k < n; ++k) {
    const Scalar swapped = x[k];
    x[k] = x[pivot_row[k]];
    x[pivot_row[k]] = swapped;
  }
  solve_lower(n, a, x);
  for (int k = n - 1; k >= 0; --k) {
    x[k] /= a[k + k * n];
    for (int i = 0; i < k; ++i) x[i] -= a[i + k * n] * x[k];
  }
}

inline bool all_finite(const double* x, int n) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};  // stay zero unless an entry is infinite or NaN; four, which need not wait
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) sum[k] += 0.0 * x[i + k];
  }
  for (; i < n; ++i) sum[0] += 0.0 * x[i];
  return sum[0] + sum[1] + sum[2] + sum[3] == 0.0;
}

}  // namespace sunlagrange::internal::kernels
