// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <type_traits>

namespace sunlagrange::internal::kernels {

// Column-major loops whose inner index runs down a column, so that compilers vectorise them and small systems pay no
// call overhead. `Size` is int, or std::integral_constant for the sizes that deserve unrolling.

/// Calls use(n), with a constant where n is one of first, ..., last and so small that the code is worth it: the
/// overhead of loops over six entries exceeds their arithmetic.
template <int first, int last, class Use>
auto with_constant_size(int n, Use&& use) {
  if constexpr (first > last)
    return use(n);
  else
    return n == first ? use(std::integral_constant<int, first>()) : with_constant_size<first + 1, last>(n, use);
}

// Complex numbers without the cases of C for infinite ones, which take longer than the products: factorisations check
// that their results are finite.

inline double product(double a, double b) {
  return a * b;
}
inline std::complex<double> product(const std::complex<double>& a, const std::complex<double>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Returns |a|; for complex numbers up to a factor of root 2.
inline double rough_size(double a) {
  return std::abs(a);
}
inline double rough_size(const std::complex<double>& a) {
  return std::abs(a.real()) + std::abs(a.imag());
}

inline double inverse_of(double a) {
  return 1.0 / a;
}
inline std::complex<double> inverse_of(const std::complex<double>& a) {
  const double size = rough_size(a), re = a.real() / size, im = a.imag() / size;
  const double scale = 1.0 / ((re * re + im * im) * size);
  return {re * scale, -im * scale};
}

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
    const Scalar xk = x[k];
    for (int i = k + 1; i < n; ++i) x[i] -= product(l[i + k * n], xk);
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

/// P A = L U in place with partial pivoting, one over the pivots on the diagonal; false if a pivot is not above `floor`
/// (absolute: equilibrate first), or not finite. Real or complex.
template <class Size, class Scalar>
bool factorize_lu(Size n, Scalar* a, int* pivot_row, double floor) {
  for (int k = 0; k < n; ++k) {
    Scalar* column = a + k * n;
    int p = k;
    double size = rough_size(column[k]);
    for (int i = k + 1; i < n; ++i) {
      const double other = rough_size(column[i]);
      if (other > size) {
        p = i;
        size = other;
      }
    }
    if (!(size > floor) || !std::isfinite(size)) return false;
    pivot_row[k] = p;
    if (p != k) {
      for (int j = 0; j < n; ++j) {
        const Scalar swapped = a[k + j * n];
        a[k + j * n] = a[p + j * n];
        a[p + j * n] = swapped;
      }
    }
    const Scalar inverse = column[k] = inverse_of(column[k]);
    for (int i = k + 1; i < n; ++i) column[i] = product(column[i], inverse);
    for (int j = k + 1; j < n; ++j) {
      Scalar* target = a + j * n;
      const Scalar u = target[k];
      if (u == 0.0) continue;
      for (int i = k + 1; i < n; ++i) target[i] -= product(column[i], u);
    }
  }
  return true;
}

template <class Size, class Scalar>
void solve_lu(Size n, const Scalar* a, const int* pivot_row, Scalar* x) {
  for (int k = 0; k < n; ++k) {
    const Scalar swapped = x[k];
    x[k] = x[pivot_row[k]];
    x[pivot_row[k]] = swapped;
  }
  solve_lower(n, a, x);
  for (int k = n - 1; k >= 0; --k) {
    const Scalar xk = x[k] = product(x[k], a[k + k * n]);
    for (int i = 0; i < k; ++i) x[i] -= product(a[i + k * n], xk);
  }
}

}  // namespace sunlagrange::internal::kernels
