#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/gain_matrix.hpp>

namespace sunlagrange {

/// A square gain matrix given in the shortest form that says it: nothing (automatic), one value for every constraint,
/// one value per constraint, or a full symmetric positive definite matrix.
class Gain {
 public:
  Gain() = default;                     ///< automatic: chosen by advise_gains(), shown in the report
  Gain(double value);                   // NOLINT(google-explicit-constructor): K_D = 20 reads as in the papers
  Gain(std::vector<double> values);     // NOLINT(google-explicit-constructor): one per constraint
  Gain(const Eigen::MatrixXd& matrix);  // NOLINT(google-explicit-constructor): full

  bool automatic() const { return values_.empty(); }

  /// The m x m matrix; the number of values given decides how to read them: 1, m or m*m. Throws Error naming `field` if
  /// the size does not fit or the matrix is not symmetric positive definite (semidefinite allowed when `allow_zero`, so
  /// that K_D = 0 switches a term off).
  GainMatrix matrix(int m, const std::string& field, bool allow_zero) const;

  /// As given, a matrix row by row; empty: automatic.
  const std::vector<double>& values() const { return values_; }

  /// "20", "20,10", "20,1;1,10" or "automatic".
  std::string text() const;

 private:
  friend struct Gains;
  Gain restricted(int m, const std::vector<int>& rows) const;

  std::vector<double> values_;   // row by row
  bool product_of_spd_ = false;  // K = A^-1 B with A, B symmetric positive definite: K itself need not be symmetric
};

/// Gains of the stabilised formulations. The papers' law for the constraint error is
///     g'' + K_D g' + K_P g = 0       (Baumgarte)      or  = Lambda^-1 lambda   (penalty)
///     psi' + K_N psi = 0             for velocity (nonholonomic) constraints
///     f' + K_N f = 0                 for kinematic programs, K = -K_N in f' = K f of [002]
/// Source: [000, equations (16), (20), (30)], [002, (7)].
struct Gains {
  Gain K_D;     ///< 1/s, m_g x m_g
  Gain K_P;     ///< 1/s^2, m_g x m_g
  Gain K_N;     ///< 1/s, m_psi x m_psi; of a kinematic program m x m, the only gain it has: f' + K_N f = 0
  Gain Lambda;  ///< penalty and augmented Lagrangian forms, index1: J s^2 per (unit of g)^2, all m rows; C = Lambda^-1

  /// Critical damping, Remark 3 of [000]: K_D = diag(2 k_i), K_P = diag(k_i^2). k in 1/s, one value or one per row.
  static Gains critically_damped(const std::vector<double>& k);

  /// K_D = 2 zeta omega, K_P = omega^2 for every constraint; omega in rad/s. Source: [000, equation (15)].
  static Gains natural_frequency(double omega, double zeta);

  /// From the excess mass, stiffness and damping of the papers' (25): the printed K_P, K_D of (25) are Lambda times
  /// those of (28)-(30) (erratum E3), so K_P = mass^-1 stiffness, K_D = mass^-1 damping, Lambda = mass. All SPD.
  static Gains from_excess_energy(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& stiffness,
                                  const Eigen::MatrixXd& damping);

  /// The gains of a system some of whose rows are switched off: entries of the remaining rows. Given values keep their
  /// meaning row by row; automatic gains stay automatic.
  /// @param m_g, m_psi  rows of the full system, which these gains fit
  /// @param rows        the remaining ones, ascending, numbered (g rows, psi rows)
  Gains restricted(int m_g, int m_psi, const std::vector<int>& rows) const;

  /// Parse "K_D=20,10;K_P=100,25;Lambda=10". A gain is one value, a diagonal, or the rows of a full matrix one after
  /// the other; the number of values decides (1, m, m*m). Throws Error naming the unknown key or the bad number.
  static Gains parse(const std::string& text);
};

}  // namespace sunlagrange
