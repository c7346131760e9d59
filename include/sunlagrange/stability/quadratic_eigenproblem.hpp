// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <Eigen/Core>

namespace sunlagrange {

/// Eigenvalues of a constant error law y' = A y, with a verdict about stability.
struct Spectrum {
  Eigen::VectorXcd eigenvalues;  ///< [1/s], largest real part first
  double max_real = 0.0;         ///< [1/s]; the rate of decay is -max_real
  bool stable = false;           ///< max_real < 0, by more than rounding (1e-13 |A|)
  std::string verdict;           ///< stable or not, and by how much, in words
};

/// Returns the spectrum of A. The verdict holds for constant coefficients. For A(t) the eigenvalues of each frozen A(t)
/// prove nothing: they may all lie in the left half plane while y grows, and in the right one while it decays; use
/// sampled_certificate().
/// @throws Error if A is empty, not square or not finite, or if the eigenvalues cannot be computed
Spectrum spectrum(const Eigen::MatrixXd& A);

/// Returns the block matrix A of [003, (2.2)] on y = (g, g', psi), with the rows
///
///     g'                                            A12 = I (erratum G2)
///     -m^-1 (k g + b (g', psi))                     [003, (1.15)]
///
/// @param mass         m x m, m = m_g + m_psi rows; regular, not necessarily symmetric
/// @param dissipation  b = m' + c, m x m, which includes the rate of the mass along the motion
/// @param stiffness    k, m_g x m_g, or m x m_g if the lower rows couple g into psi; m_g is its number of columns
/// @throws Error on sizes that do not fit, values that are not finite, a singular mass
Eigen::MatrixXd extended_error_matrix(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& dissipation,
                                      const Eigen::MatrixXd& stiffness);

/// Returns the 2m roots mu of det(mu^2 mass + mu damping + stiffness) = 0 [001, text after (16)], m x m each. Symmetric
/// positive definite matrices always give a stable spectrum.
/// @throws Error as extended_error_matrix
Spectrum quadratic_eigenvalues(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& damping,
                               const Eigen::MatrixXd& stiffness);

}  // namespace sunlagrange
