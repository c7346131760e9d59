// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/radau_tableau.hpp"

#include <cmath>
#include <cstddef>

namespace sunlagrange::internal {
namespace {

template <class Scalar>
using Row = RadauTableau::Numbers<Scalar>;
template <class Scalar>
using Square = Row<Row<Scalar>>;

template <class Scalar>
Row<Scalar> cross(const Row<Scalar>& a, const Row<Scalar>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class Scalar>
Scalar product(const Row<Scalar>& a, const Row<Scalar>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Square<double> transposed(const Square<double>& A) {
  Square<double> T = A;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) T[i][j] = A[j][i];
  }
  return T;
}

Square<double> inverse(const Square<double>& A) {
  Square<double> B = transposed({cross(A[1], A[2]), cross(A[2], A[0]), cross(A[0], A[1])});
  const double determinant = product(A[0], cross(A[1], A[2]));
  for (Row<double>& row : B) {
    for (double& entry : row) entry /= determinant;
  }
  return B;
}

/// Returns x with A x = value x for a simple eigenvalue, the cross product of two rows of A - value.
template <class Scalar>
Row<Scalar> eigenvector(const Square<double>& A, Scalar value) {
  Square<Scalar> shifted;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) shifted[i][j] = A[i][j] - (i == j ? value : Scalar(0.0));
  }
  Row<Scalar> best{};
  double largest = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Row<Scalar> x = cross(shifted[i], shifted[(i + 1) % 3]);
    double size = 0.0;
    for (const Scalar entry : x) size += std::abs(entry);
    if (size > largest) {
      largest = size;
      best = x;
    }
  }
  for (Scalar& entry : best) entry /= largest;
  return best;
}

template <class Scalar>
void eigenvectors(const Square<double>& A, Scalar value, Row<Scalar>& left, Row<Scalar>& right) {
  right = eigenvector(A, value);
  left = eigenvector(transposed(A), value);
  const Scalar scale = product(left, right);
  for (Scalar& entry : left) entry /= scale;
}

/// The eigenvalues are the roots of mu^3 - 9 mu^2 + 36 mu - 60, the denominator of the stability function.
RadauTableau make() {
  const double root6 = std::sqrt(6.0), root3 = std::cbrt(3.0), root9 = std::cbrt(9.0);
  RadauTableau r;
  r.c = {(4.0 - root6) / 10.0, (4.0 + root6) / 10.0, 1.0};
  r.A = {{{(88.0 - 7.0 * root6) / 360.0, (296.0 - 169.0 * root6) / 1800.0, (-2.0 + 3.0 * root6) / 225.0},
          {(296.0 + 169.0 * root6) / 1800.0, (88.0 + 7.0 * root6) / 360.0, (-2.0 - 3.0 * root6) / 225.0},
          {(16.0 - root6) / 36.0, (16.0 + root6) / 36.0, 1.0 / 9.0}}};
  for (std::size_t i = 0; i < 3; ++i) {
    const double a = r.c[(i + 1) % 3], b = r.c[(i + 2) % 3];
    r.top[i] = 1.0 / (r.c[i] * (r.c[i] - a) * (r.c[i] - b));
  }
  r.A_inv = inverse(r.A);
  r.gamma = 3.0 + root9 - root3;
  r.mu = {3.0 + 0.5 * (root3 - root9), 0.5 * std::sqrt(3.0) * (root3 + root9)};
  eigenvectors(r.A_inv, r.gamma, r.left, r.right);
  eigenvectors(r.A_inv, r.mu, r.left_mu, r.right_mu);
  r.error = {-(13.0 + 7.0 * root6) / 3.0, (-13.0 + 7.0 * root6) / 3.0, -1.0 / 3.0};
  return r;
}

}  // namespace

Row<double> RadauTableau::interpolation(double s) const {
  Row<double> L;
  for (std::size_t i = 0; i < 3; ++i) {
    const double a = c[(i + 1) % 3], b = c[(i + 2) % 3];
    L[i] = s * (s - a) * (s - b) * top[i];
  }
  return L;
}

Row<double> RadauTableau::interpolation_slope(double s) const {
  Row<double> L;
  for (std::size_t i = 0; i < 3; ++i) {
    const double a = c[(i + 1) % 3], b = c[(i + 2) % 3];
    L[i] = ((s - a) * (s - b) + s * (2.0 * s - a - b)) * top[i];
  }
  return L;
}

const RadauTableau& radau_tableau() {
  static const RadauTableau tableau = make();
  return tableau;
}

}  // namespace sunlagrange::internal
