// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <Eigen/Core>

namespace sunlagrange {

/// Positive definiteness of a symmetric matrix by Sylvester's criterion and by Cholesky's factorisation. Cholesky is
/// the reliable one: determinants of large or badly scaled matrices overflow and underflow.
struct Definiteness {
  bool cholesky = false;             ///< the factorisation exists
  bool sylvester = false;            ///< all leading principal minors are positive
  Eigen::VectorXd minors;            ///< leading principal minors of order 1, 2, ..., n
  double smallest_eigenvalue = 0.0;  ///< positive exactly if S is positive definite
  double largest_eigenvalue = 0.0;   ///< its ratio to the smallest: condition number

  /// Returns "positive definite, eigenvalues 0.2 to 3" or "not positive definite: leading minor 2 is -1, eigenvalues
  /// ...".
  std::string text() const;
};

/// @param S  n x n, n >= 1, symmetric to rounding
/// @throws Error if S is empty, not square, not finite or not symmetric
Definiteness definiteness(const Eigen::MatrixXd& S);

/// Returns -(A^T P + P A + P'), which has to be positive definite for V = y^T P(t) y to decrease along y' = A y. P' is
/// the time derivative of the coefficients of the form [001, text after (17)].
/// @param P_rate  dP/dt along the motion; empty: zero
/// @throws Error on sizes that do not fit, values that are not finite, P or P' that is not symmetric
Eigen::MatrixXd lyapunov_decrease(const Eigen::MatrixXd& A, const Eigen::MatrixXd& P,
                                  const Eigen::MatrixXd& P_rate = {});

}  // namespace sunlagrange
