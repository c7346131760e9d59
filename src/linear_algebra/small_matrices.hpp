// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <string>

#include <Eigen/Core>

/// Checked arguments and scaling of the Lyapunov tools. All matrices are small and dense.
namespace sunlagrange::internal {

/// Checks that a matrix is square, not empty and finite. @throws Error naming `what`
void require_square(const Eigen::MatrixXd& A, const std::string& what);

/// Checks that a matrix is finite and rows x columns. @throws Error naming `what`
void require_size(const Eigen::MatrixXd& A, Eigen::Index rows, Eigen::Index columns, const std::string& what);

/// Checks the size, and that the matrix is symmetric to 1e-9 sqrt(a_ii a_jj) or 1e-12 of the largest entry.
void require_symmetric(const Eigen::MatrixXd& A, Eigen::Index size, const std::string& what);

/// Checks that a matrix is symmetric (require_symmetric) and positive definite.
void require_positive_definite(const Eigen::MatrixXd& A, Eigen::Index size, const std::string& what);

Eigen::MatrixXd symmetric_part(const Eigen::MatrixXd& A);

/// Returns d that balances D^-1 A D, D = diag(d): rows and columns have about equal norms [GolubVanLoan1996, 7.5.7].
/// The d_i are powers of two, so that scaling adds no rounding. Eigen's solvers do not balance, which the error matrix
/// of stiff gains needs: its entries 1 and K_P differ by the square of a frequency.
Eigen::VectorXd balancing_scales(const Eigen::MatrixXd& A);

/// Returns D^-1 A D.
Eigen::MatrixXd similar(const Eigen::MatrixXd& A, const Eigen::VectorXd& d);

/// Returns D A D.
Eigen::MatrixXd congruent(const Eigen::MatrixXd& A, const Eigen::VectorXd& d);

/// Returns text such as "-1.5" or "-1.5 + 2i".
std::string text(const std::complex<double>& z);

/// Decay of a symmetric form P along y' = A y. It is computed in coordinates in which P has a unit diagonal, and
/// reduced by the rounding errors, so that P proves the rate in any units.
struct FormMeasure {
  bool definite = false;  ///< P is positive definite; if not, only `lowest` is set
  double rate = 0.0;      ///< 1/2 lambda_min(-(A^T P + P A + P'), P), lower bound
  double lowest = 0.0;    ///< lambda_min(P), lower bound if definite
  double highest = 0.0;   ///< lambda_max(P)
};
FormMeasure measure_form(const Eigen::MatrixXd& A, const Eigen::MatrixXd& P, const Eigen::MatrixXd& P_rate);

/// Returns a lower bound of lambda_min(S), S symmetric: the better of the eigenvalue less its rounding and the bound by
/// congruence with d.
/// @param noise  rounding in the entries of D S D
double lowest_eigenvalue(const Eigen::MatrixXd& S, const Eigen::VectorXd& d, double noise);

/// Returns powers of two near 1/sqrt(P_ii); 1 if P_ii is not positive.
Eigen::VectorXd unit_scales(const Eigen::MatrixXd& P);

}  // namespace sunlagrange::internal
