// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/gain_matrix.hpp>

/// Symmetric positive definite matrices. Eigen's Cholesky factorisations are instantiated here alone (held by
/// tests/architecture).
#include "base/signed_vector.hpp"

namespace sunlagrange::internal {

/// Returns L with A = L L^T, lower triangular; only the lower triangle of A is read. Empty: A is not positive definite
/// to rounding.
std::optional<Eigen::MatrixXd> cholesky(const Eigen::MatrixXd& A);

/// Returns true if A is symmetric (to rounding) and positive definite.
bool is_spd(const Eigen::MatrixXd& matrix);

/// Returns A^-1 B for symmetric positive definite A.
Eigen::MatrixXd spd_solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// Returns A^-1 b by L D L^T with pivoting, for matrices that are nearly singular.
Eigen::VectorXd spd_solve_pivoted(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

/// Returns A^-1 b for a gain matrix; a diagonal one is inverted entry by entry.
Eigen::VectorXd spd_solve(const GainMatrix& A, const Eigen::VectorXd& b);
GainMatrix spd_inverse(const GainMatrix& A);

/// L D L^T of a small symmetric matrix that changes during a run. No allocation after construction.
class SpdFactor {
 public:
  explicit SpdFactor(int size);

  /// Factorises A. Returns false, and must not be solved with, unless A is finite, symmetric to rounding and positive
  /// definite.
  bool factorize(const Eigen::MatrixXd& A);

  /// Replaces B by A^-1 B; any number of columns.
  void solve_in_place(Eigen::MatrixXd& B) const;

  /// Returns true if the symmetric part of the leading size x size block of A is finite and positive semidefinite to
  /// rounding (1e-12 of its largest diagonal entry). With `symmetric` the block itself must be symmetric, too.
  /// Overwrites the factor.
  bool semidefinite(const Eigen::MatrixXd& A, bool symmetric);

 private:
  bool load(const Eigen::MatrixXd& A, bool symmetric, double shift);

  int size_;
  SignedVector<double> factor_, inverse_pivot_, diagonal_;
};

}  // namespace sunlagrange::internal
