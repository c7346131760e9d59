#pragma once

#include <functional>
#include <vector>

#include <Eigen/Core>

namespace sunlagrange {

/// Inertia, stiffness and dissipation of the excess variables y = g, v_y = (g', psi) of formulation
/// `extended_lagrangian`: the energies and the dissipation function grow by
///
///     T + 1/2 v_y^T m v_y,     P + 1/2 y^T k y,     D + 1/2 v_y^T c v_y
///
/// [003, (1.12)-(1.14)], which gives the constraint error the law
///
///     m v_y' = -k y - (m' + c) v_y.
///
/// Functions fill the matrix handed to them; it has its final size and is zero on entry, so that a diagonal is enough.
/// They must depend on their arguments only. NaN in m, k or c declines the point: the integrator shortens its step.
/// Any function may be left out: its share of the law is then that of `Gains`, i.e. K_P for m^-1 k, blkdiag(K_D, K_N)
/// for m^-1 c, and the identity for m. With nothing given the law is that of `baumgarte`.
///
/// Sizes: m_g rows of g, m_psi rows of psi, m = m_g + m_psi, of the system handed to simulate(): rows that events or
/// `inactive_constraints` switch off stay in the matrices, and the blocks of the active ones are taken. Units: those of
/// J with g, g', psi in their own units.
struct ExcessEnergy {
  /// m(t, q), m x m, symmetric positive definite. An m that couples g and psi rows couples their errors.
  std::function<void(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& m)> mass;

  /// m' = dm/dt along the motion (q' = v), m x m. Left out: central difference of `mass` along (1, v), relative error
  /// about 1e-10.
  std::function<void(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::MatrixXd& rate)> mass_rate;

  /// k(t, q), symmetric positive semidefinite, m_g x m_g; or, if `coupled_stiffness`, m x m_g: the lower rows let the
  /// violation of g act on psi, the upper ones are as before.
  std::function<void(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& k)> stiffness;
  bool coupled_stiffness = false;

  /// c(t, q, v), m x m, with positive semidefinite symmetric part. The law has m' + c in it: where m shrinks along the
  /// motion, m' < 0 feeds the error, and c must outweigh it.
  std::function<void(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::MatrixXd& c)> dissipation;

  bool given() const { return mass || mass_rate || stiffness || dissipation; }

  /// The energy of a system some of whose rows are switched off, as Gains::restricted(): the functions are evaluated at
  /// full size, and the entries of the remaining rows are taken.
  /// @param m_g, m_psi  rows of the full system, which these functions fit
  /// @param rows        the remaining ones, ascending, numbered (g rows, psi rows)
  ExcessEnergy restricted(int m_g, int m_psi, const std::vector<int>& rows) const;
};

}  // namespace sunlagrange
