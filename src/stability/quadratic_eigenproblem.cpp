// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/quadratic_eigenproblem.hpp>

#include <algorithm>
#include <utility>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "gains/excess_law.hpp"
#include "linear_algebra/decompositions.hpp"
#include "linear_algebra/small_matrices.hpp"

namespace sunlagrange {

using namespace internal;

using Eigen::MatrixXd;

Spectrum spectrum(const MatrixXd& A) {
  require_square(A, "A");
  const MatrixXd balanced = similar(A, balancing_scales(A));
  Spectrum result;
  result.eigenvalues = eigenvalues(balanced);
  std::sort(result.eigenvalues.begin(), result.eigenvalues.end(), [](const auto& x, const auto& y) {
    return std::pair(-x.real(), x.imag()) < std::pair(-y.real(), y.imag());
  });
  result.max_real = result.eigenvalues[0].real();
  const double noise = 1e-13 * balanced.norm();
  result.stable = result.max_real < -noise;
  const std::string first = text(result.eigenvalues[0]);
  result.verdict = result.stable ? "stable: the slowest eigenvalue is " + first
                   : result.max_real <= noise
                       ? "not asymptotically stable: eigenvalue " + first + " on the imaginary axis to rounding"
                       : "unstable: eigenvalue " + first;
  return result;
}

MatrixXd extended_error_matrix(const MatrixXd& mass, const MatrixXd& dissipation, const MatrixXd& stiffness) {
  require_square(mass, "mass");
  const Eigen::Index m = mass.rows(), m_g = stiffness.cols();
  require_size(dissipation, m, m, "dissipation");
  if (m_g > m || (stiffness.rows() != m && stiffness.rows() != m_g)) {
    throw Error("stability: stiffness is " + std::to_string(stiffness.rows()) + " x " + std::to_string(m_g) +
                "; with " + std::to_string(m) + " rows of the mass it must be m_g x m_g or " + std::to_string(m) +
                " x m_g, m_g <= " + std::to_string(m));
  }
  require_size(stiffness, stiffness.rows(), m_g, "stiffness");
  const Eigen::Index rank = rank_full_pivoting(mass);
  if (rank < m) {
    throw Error("stability: mass has rank " + std::to_string(rank) + " of " + std::to_string(m) +
                "; every excess variable needs inertia");
  }
  MatrixXd k = MatrixXd::Zero(m, m_g);
  k.topRows(stiffness.rows()) = stiffness;
  return ExcessLaw::error_matrix(solve_full_pivoting(mass, dissipation), solve_full_pivoting(mass, k));
}

Spectrum quadratic_eigenvalues(const MatrixXd& mass, const MatrixXd& damping, const MatrixXd& stiffness) {
  require_square(mass, "mass");
  require_size(stiffness, mass.rows(), mass.cols(), "stiffness");
  return spectrum(extended_error_matrix(mass, damping, stiffness));
}

}  // namespace sunlagrange
