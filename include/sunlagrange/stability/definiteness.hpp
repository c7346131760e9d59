#pragma once

#include <string>

#include <Eigen/Core>

namespace sunlagrange {

/// Is a symmetric matrix positive definite? Sylvester's criterion and Cholesky's factorisation side by side. Rely on
/// Cholesky: determinants of large or badly scaled matrices over- and underflow.
struct Definiteness {
  bool cholesky = false;   ///< the factorisation exists
  bool sylvester = false;  ///< all leading principal minors are positive
  Eigen::VectorXd minors;  ///< leading principal minors of order 1, 2, ..., n
  double smallest_eigenvalue = 0.0;
  double largest_eigenvalue = 0.0;

  /// "positive definite, eigenvalues 0.2 to 3" or "not positive definite: leading minor 2 is -1, eigenvalues ...".
  std::string text() const;
};

/// @param S  n x n, n >= 1, symmetric to rounding
/// @throws Error if S is empty, not square, not finite or not symmetric
Definiteness definiteness(const Eigen::MatrixXd& S);

/// -(A^T P + P A + P'), which has to be positive definite for V = y^T P(t) y to fall along y' = A y. Not forgotten:
/// the time derivative of the form's coefficients [001, text after (17)].
/// @param P_rate  dP/dt along the motion; empty: zero
/// @throws Error on sizes that do not fit, values that are not finite, P or P' that is not symmetric
Eigen::MatrixXd lyapunov_decrease(const Eigen::MatrixXd& A, const Eigen::MatrixXd& P,
                                  const Eigen::MatrixXd& P_rate = {});

}  // namespace sunlagrange
