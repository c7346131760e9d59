#pragma once

#include <complex>
#include <string>

#include <Eigen/Core>

/// Checked arguments and scaling of the Lyapunov tools. All matrices are small and dense.
namespace sunlagrange::internal {

/// Square, not empty, finite. @throws Error naming `what`
void require_square(const Eigen::MatrixXd& A, const std::string& what);

/// Finite and rows x columns. @throws Error naming `what`
void require_size(const Eigen::MatrixXd& A, Eigen::Index rows, Eigen::Index columns, const std::string& what);

/// As require_square with a given size, and symmetric to 1e-9 sqrt(a_ii a_jj) or 1e-12 of the largest entry.
void require_symmetric(const Eigen::MatrixXd& A, Eigen::Index size, const std::string& what);

/// require_symmetric, and Cholesky's factorisation exists.
void require_positive_definite(const Eigen::MatrixXd& A, Eigen::Index size, const std::string& what);

Eigen::MatrixXd symmetric_part(const Eigen::MatrixXd& A);

/// d with D^-1 A D, D = diag(d), balanced: its rows and columns have about equal norms [GolubVanLoan1996, 7.5.7].
/// Powers of two, so that scaling adds no rounding. Eigen's solvers do not balance, and the error matrix of stiff gains
/// needs it: its entries 1 and K_P differ by the square of a frequency.
Eigen::VectorXd balancing_scales(const Eigen::MatrixXd& A);

/// D^-1 A D.
Eigen::MatrixXd similar(const Eigen::MatrixXd& A, const Eigen::VectorXd& d);

/// D A D.
Eigen::MatrixXd congruent(const Eigen::MatrixXd& A, const Eigen::VectorXd& d);

/// "-1.5" or "-1.5 + 2i".
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

/// Powers of two near 1/sqrt(P_ii); 1 where P_ii is not positive.
Eigen::VectorXd unit_scales(const Eigen::MatrixXd& P);

}  // namespace sunlagrange::internal
