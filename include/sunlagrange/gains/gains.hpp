// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/gain_matrix.hpp>

namespace sunlagrange {

/// A square gain matrix in the shortest form: nothing (automatic), one value for all constraints, one value per
/// constraint, or a full symmetric positive definite matrix.
class Gain {
 public:
  Gain() = default;  ///< automatic: chosen by advise_gains(), shown in the report
  /// One value for all rows, one for each row, or a full matrix; matrix() checks size and definiteness. Unit: Gains.
  Gain(double value);                   // NOLINT(google-explicit-constructor): K_D = 20 reads as in the papers
  Gain(std::vector<double> values);     // NOLINT(google-explicit-constructor): one per constraint
  Gain(const Eigen::MatrixXd& matrix);  // NOLINT(google-explicit-constructor): full

  /// True if no value was given.
  bool automatic() const { return values_.empty(); }

  /// Returns the m x m matrix. The number of values decides how they are read: 1, m or m*m.
  /// @param allow_zero  also takes a semidefinite matrix, so that K_D = 0 switches a term off
  /// @throws Error naming `field` if the size does not fit or the matrix is not symmetric positive definite
  GainMatrix matrix(int m, const std::string& field, bool allow_zero) const;

  /// Returns the values as given, a matrix row by row; empty: automatic.
  const std::vector<double>& values() const { return values_; }

  /// Returns the gain as text: "20", "20,10", "20,1,1,10" or "automatic"; more than nine values are shortened.
  std::string text() const;

 private:
  friend struct Gains;
  Gain restricted(int m, const std::vector<int>& rows) const;

  std::vector<double> values_;   // row by row
  bool product_of_spd_ = false;  // K = A^-1 B with A, B symmetric positive definite: K itself need not be symmetric
};

/// Gains of the stabilised formulations. Index reduction replaces g = 0 by g'' = 0, and errors of the integration drift
/// off the constraints. Gains feed g and g' back, so that the constraint error decays by a linear law:
///
///     g'' + K_D g' + K_P g = 0       [000, (16)]; penalty form: = Lambda^-1 lambda  [000, (30)]
///     psi' + K_N psi = 0             for velocity (nonholonomic) constraints  [000, (20)]
///     f' + K_N f = 0                 for kinematic programs, K = -K_N in f' = K f of [002, (7)]
///
/// @code
/// const double omega = 10.0;  // [rad/s]
/// const Gains gains = Gains::natural_frequency(omega, 1.0);
/// @endcode
///
/// These gains damp every error critically, at the rate omega; `options.gains = gains` hands them to simulate().
/// Default: automatic, see advise_gains(). Large gains are stable only with short steps.
struct Gains {
  Gain K_D;     ///< 1/s, m_g x m_g
  Gain K_P;     ///< 1/s^2, m_g x m_g
  Gain K_N;     ///< 1/s, m_psi x m_psi; kinematic programs: m x m, their only gain
  Gain Lambda;  ///< for penalty and augmented Lagrangian forms and index1: J s^2 per (unit of g)^2, all m rows; C =
                ///< Lambda^-1

  /// Returns gains of critical damping [000, Remark 3]: K_D = diag(2 k_i), K_P = diag(k_i^2).
  /// @param k  1/s, one value or one per row
  static Gains critically_damped(const std::vector<double>& k);

  /// Returns K_D = 2 zeta omega, K_P = omega^2 for every constraint [000, (15)]; omega in rad/s.
  static Gains natural_frequency(double omega, double zeta);

  /// Returns K_P = mass^-1 stiffness, K_D = mass^-1 damping, Lambda = mass from the excess mass, stiffness and damping
  /// of [000, (25)], all symmetric positive definite. (The printed K_P, K_D of (25) are Lambda times those of
  /// (28)-(30), erratum E3.)
  static Gains from_excess_energy(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& stiffness,
                                  const Eigen::MatrixXd& damping);

  /// Returns the gains of a system with some rows switched off: the entries of the remaining rows. Automatic gains stay
  /// automatic.
  /// @param m_g, m_psi  rows of the full system, which these gains fit
  /// @param rows        remaining rows, ascending, numbered (g rows, psi rows)
  Gains restricted(int m_g, int m_psi, const std::vector<int>& rows) const;

  /// Reads text such as "K_D=20,10;K_P=100,25;Lambda=10". A gain is one value, a diagonal, or a full matrix row by row;
  /// the number of values decides (1, m, m*m). @throws Error naming an unknown key or a wrong number
  static Gains parse(const std::string& text);
};

}  // namespace sunlagrange
