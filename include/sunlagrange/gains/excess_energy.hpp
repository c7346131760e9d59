// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/gains/gains.hpp>

namespace sunlagrange {

class MechanicalSystem;

/// Inertia, stiffness and dissipation of the excess variables y = g, v_y = (g', psi) of formulation
/// `extended_lagrangian`: the energies and the dissipation function grow by
///
///     T + 1/2 v_y^T m v_y,     P + 1/2 y^T k y,     D + 1/2 v_y^T c v_y
///
/// [003, (1.12)-(1.14)], which gives the constraint error the law
///
///     m v_y' = -k y - (m' + c) v_y
///
/// and the mechanism the tangential force [003, (1.15)]
///
///     m2_i = 1/2 v_y^T (dm/dq_i - dc/dv_i) v_y - 1/2 y^T dk/dq_i y,
///
/// which vanishes on the constraints and does not enter the law (lambda2 of (1.17), sign corrected, takes its part
/// along G^T). It is formed by central differences, relative error about 1e-10, where it exceeds rounding: 2 n calls of
/// m, k and c at points off the constraints, none near them. Reactions::tangential_force has it.
///
/// An inertia that depends on v, the a(q, q', t) of [001, (3)], is `mass_of_motion`. Its rate contains v',
///
///     m' = dm/dt + sum_i dm/dq_i v_i + sum_i dm/dv_i v'_i,
///
/// so that the law and M v' + G^T lambda = f are one linear system for v' and lambda, which is solved at every point:
/// 2 n calls of m and m solutions with the factors of [M G^T; G 0]. The derivatives dm/dv_i act on v_y and vanish on
/// the constraints. The term that they add to m2, -(v_y^T dm/dv_i v_y / 2)', is left out, as [001] leaves out m2.
///
/// Functions fill their matrix argument. It has its final size and is zero on entry, so that setting a diagonal is
/// enough. They must depend on their arguments only. NaN in m, k or c declines the point: the integrator shortens its
/// step. A missing function is replaced by `Gains`: K_P for m^-1 k, blkdiag(K_D, K_N) for m^-1 c, the identity for m,
/// without a tangential force. With no function the law is that of `baumgarte`.
///
/// Sizes: m_g rows of g, m_psi rows of psi, m = m_g + m_psi, of the system handed to simulate(): rows that events or
/// `inactive_constraints` switch off stay in the matrices, and the blocks of the active ones are taken. Units: those of
/// J with g, g', psi in their own units.
struct ExcessEnergy {
  /// m(t, q), m x m, symmetric positive definite. An m that couples g and psi rows couples their errors.
  std::function<void(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& m)> mass;

  /// m(t, q, v), m x m, symmetric positive definite: takes the place of `mass`, and of `mass_rate`.
  std::function<void(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::MatrixXd& m)> mass_of_motion;

  /// m' = dm/dt along the motion (q' = v), m x m. Left out: central difference of `mass` along (1, v), relative error
  /// about 1e-10.
  std::function<void(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::MatrixXd& rate)> mass_rate;

  /// k(t, q), symmetric positive semidefinite, m_g x m_g; or, if `coupled_stiffness`, m x m_g: the lower rows let the
  /// violation of g act on psi, the upper ones are as before.
  std::function<void(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& k)> stiffness;
  bool coupled_stiffness = false;  ///< true: `stiffness` fills m x m_g

  /// c(t, q, v), m x m, with positive semidefinite symmetric part. The law has m' + c in it: where m shrinks along the
  /// motion, m' < 0 feeds the error, and c must outweigh it.
  std::function<void(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::MatrixXd& c)> dissipation;

  /// True if any function is given; else the law is that of the gains.
  bool given() const { return mass || mass_of_motion || mass_rate || stiffness || dissipation; }

  /// Returns the energy of a system with some rows switched off, as Gains::restricted(): the functions are evaluated at
  /// full size, and the entries of the remaining rows are used.
  /// @param m_g, m_psi  rows of the full system, which these functions fit
  /// @param rows        remaining rows, ascending, numbered (g rows, psi rows)
  ExcessEnergy restricted(int m_g, int m_psi, const std::vector<int>& rows) const;
};

/// The law of the constraint error e = (g, g', psi) at one point, [003, (2.2)]:
///
///     e' = A e,     A = [ 0     I       0 ]
///                       [ -m^-1 k   -m^-1 (m' + c) ],     2 m_g + m_psi square
///
/// Along a motion A changes with (t, q, v): its eigenvalues at one point are a necessary condition where m, k, c are
/// constant, and only a hint elsewhere; lyapunov.hpp has common forms for samples of it, certify_run() reads it, and
/// Report::error_growth adds them up along a run.
/// @param gains  replace the missing functions
/// @param a      v' of the motion, n; read, and needed, with `mass_of_motion` only
/// @throws Error if sizes do not fit, a gain that is needed is automatic, or m, k, c are not definite here
Eigen::MatrixXd error_matrix(const ExcessEnergy& excess, const MechanicalSystem& system, double t,
                             const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Gains& gains = {},
                             const Eigen::VectorXd& a = {});

}  // namespace sunlagrange
