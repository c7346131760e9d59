// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <Eigen/Core>

/// Eigen's decompositions of dense matrices. They are instantiated here alone, because each takes seconds to compile;
/// no other file includes Eigen/Eigenvalues, Eigen/SVD, Eigen/QR or Eigen/LU (held by tests/architecture). Cholesky:
/// spd.hpp. They allocate and do not belong in callbacks, except PivotedQr after its construction.
namespace sunlagrange::internal {

/// Returns the eigenvalues of a square matrix, in no particular order. @throws Error if the iteration does not converge
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A);

/// A X = X diag(values), in no particular order, complex ones in neighbouring pairs.
struct EigenPairs {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;  ///< of length 1; those of a defective value are parallel to rounding
};
/// @throws Error if the iteration does not converge. It does not balance: see balancing_scales.
EigenPairs eigenpairs(const Eigen::MatrixXd& A);

/// Returns the eigenvalues of a symmetric matrix, ascending; only the lower triangle is read.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& S);

/// S^-1/2 of a symmetric positive definite matrix, with its eigenvalues, ascending.
struct InverseRoot {
  Eigen::VectorXd eigenvalues;
  Eigen::MatrixXd inverse_root;  ///< not finite unless all eigenvalues are positive
};
InverseRoot inverse_square_root(const Eigen::MatrixXd& S);

/// lambda with A x = lambda B x, ascending; A symmetric, B symmetric positive definite.
Eigen::VectorXd generalized_eigenvalues(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// A = U T U^*, T upper triangular.
struct ComplexSchurForm {
  Eigen::MatrixXcd T, U;
};
/// @throws Error if the iteration does not converge
ComplexSchurForm complex_schur(const Eigen::MatrixXd& A);

/// A = U diag(values) V^T, values descending.
struct SingularValues {
  Eigen::VectorXd values;
  Eigen::MatrixXd U, V;  ///< empty unless requested
};
/// Singular vectors to compute: none; all left ones (U square); all right ones (V square); min(m, n) of both.
enum class SingularVectors { none, left, right, thin };
SingularValues singular_values(const Eigen::MatrixXd& A, SingularVectors vectors = SingularVectors::none);

/// Euclidean norm of a matrix: its largest singular value.
double largest_singular_value(const Eigen::MatrixXd& A);

/// Returns A^-1 B by Gaussian elimination with full pivoting.
Eigen::MatrixXd solve_full_pivoting(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// Returns the rank of a square matrix at working precision.
Eigen::Index rank_full_pivoting(const Eigen::MatrixXd& A);

double determinant(const Eigen::MatrixXd& A);

/// Returns Q of A = Q R with as many columns as A, m x n, m >= n: an orthonormal basis of the columns of A if they are
/// independent.
Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& A);

/// Returns an orthogonal matrix whose first rank(A) columns span the columns of A.
Eigen::MatrixXd orthogonal_completion(const Eigen::MatrixXd& A);

/// Q R P^T of a matrix by Householder reflections with column pivoting.
class PivotedQr {
 public:
  PivotedQr(Eigen::Index rows, Eigen::Index columns);
  explicit PivotedQr(const Eigen::MatrixXd& A);
  PivotedQr(const PivotedQr&);
  PivotedQr(PivotedQr&&) noexcept;
  PivotedQr& operator=(PivotedQr&&) noexcept;
  ~PivotedQr();

  /// Factorises A, which has the size given at construction and may have no columns. No allocation.
  void compute(const Eigen::MatrixXd& A);

  const Eigen::MatrixXd& factors() const;  ///< R on and above the diagonal, essential parts of the reflections below
  const Eigen::VectorXd& reflections() const;  ///< their scalar coefficients
  const Eigen::VectorXi& order() const;        ///< column of A at each pivot

 private:
  struct Factor;
  std::unique_ptr<Factor> factor_;
};

}  // namespace sunlagrange::internal
