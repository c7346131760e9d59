#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/gain_matrix.hpp>

/// Symmetric positive definite matrices; the one place that instantiates Eigen's Cholesky factorisations
/// (tests/architecture checks it).
namespace sunlagrange::internal {

/// L with A = L L^T, lower triangular; only the lower triangle of A is read. Nothing: A is not positive definite to
/// rounding.
std::optional<Eigen::MatrixXd> cholesky(const Eigen::MatrixXd& A);

/// Symmetric (to rounding) and positive definite.
bool is_spd(const Eigen::MatrixXd& matrix);

/// A^-1 B for symmetric positive definite A.
Eigen::MatrixXd spd_solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// A^-1 b by L D L^T with pivoting, for what is positive definite but only just.
Eigen::VectorXd spd_solve_pivoted(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

/// A^-1 b for a gain matrix, whose diagonal is divided by entry by entry.
Eigen::VectorXd spd_solve(const GainMatrix& A, const Eigen::VectorXd& b);
GainMatrix spd_inverse(const GainMatrix& A);

/// L D L^T of a small symmetric matrix that is renewed during a run. No allocation after construction.
class SpdFactor {
 public:
  explicit SpdFactor(int size);

  /// False, and not to be solved with, unless A is finite, symmetric to rounding and positive definite.
  bool factorize(const Eigen::MatrixXd& A);

  /// B <- A^-1 B; any number of columns.
  void solve_in_place(Eigen::MatrixXd& B) const;

  /// Is the symmetric part of the leading size x size block of A finite and positive semidefinite to rounding (1e-12 of
  /// its largest diagonal entry)? With `symmetric`, the block itself must also be symmetric. Overwrites the factor.
  bool semidefinite(const Eigen::MatrixXd& A, bool symmetric);

 private:
  bool load(const Eigen::MatrixXd& A, bool symmetric, double shift);

  int size_;
  std::vector<double> factor_, inverse_pivot_, diagonal_;
};

}  // namespace sunlagrange::internal
