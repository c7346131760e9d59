// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/gains/excess_energy.hpp>
#include <sunlagrange/gains/gains.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

/// The law e' = K e of the constraint error e under a stabilised formulation, [002, (7) with a = K f] and [000, (16)].
/// K is r x r; its eigenvalues have negative real parts if the law is asymptotically stable.
///
/// Gains are positive, K carries the sign: f' = -k f. [002, Example 2] prints v for a = +k f, which drives |f| to its
/// geometric bound; its own condition (14) and range of k belong to a = -k f (erratum F1).
///
/// When not to use it: for penalty forms, whose error also depends on lambda, and for formulations without gains.
class ConstraintDynamics {
 public:
  using OfTime = std::function<Eigen::MatrixXd(double t)>;  ///< K at a time [s]
  /// K at a time [s] and a state y of the program
  using OfState = std::function<Eigen::MatrixXd(double t, const Eigen::VectorXd& y)>;

  /// K = -k I, k > 0 in 1/s.
  static ConstraintDynamics first_order(double k, int m = 1);

  /// K = -gain, a square matrix that need not be symmetric.
  static ConstraintDynamics first_order(const Eigen::MatrixXd& gain);

  /// Generalised Baumgarte, with e = (g, g', psi) as FirstOrderForm::constraint_error() returns it:
  ///         [   0     I     0  ]
  ///     K = [ -K_P  -K_D    0  ]        Source: [000, (16), (20)].
  ///         [   0     0   -K_N ]
  /// @throws Error if a required gain is automatic (FirstOrderForm::facts() has the value used) or does not fit
  static ConstraintDynamics second_order(const Gains& gains, int m_g, int m_psi = 0);

  /// K_D = 2 zeta omega, K_P = omega^2; omega in rad/s.
  static ConstraintDynamics second_order(double omega, double zeta, int m_g = 1);

  /// Any constant K, including its sign.
  /// @param scale  entry i of D e is scale_i e_i, see scale(). Default: ones
  static ConstraintDynamics from_matrix(const Eigen::MatrixXd& K, const Eigen::VectorXd& scale = {});

  /// K(t), r x r, including its sign.
  /// @param derivatives  K', K'', K''' as far as they are known; the others are found by differences
  static ConstraintDynamics time_dependent(int r, OfTime K, std::vector<OfTime> derivatives = {});

  /// K(t, y) of a kinematic program with state-dependent gains, including its sign. It serves certificates along a run;
  /// conditions at one step refuse it, because they have no y.
  static ConstraintDynamics state_dependent(int r, OfState K);

  /// K(t, y) = error_matrix() of extended_lagrangian with y = (q, v) as in FirstOrderForm; scale() is that of the
  /// start.
  /// @param gains  for the rows that the energy leaves out
  /// @throws Error as error_matrix() at the start
  static ConstraintDynamics extended(const ExcessEnergy& excess, std::shared_ptr<const MechanicalSystem> system,
                                     const MotionState& start, const Gains& gains = {});

  /// K(t, y) of a kinematic program: da/df of its own feedback, or else -K_N, which must then be given.
  static ConstraintDynamics of_program(std::shared_ptr<const MechanicalSystem> program, const Gains& gains = {});

  int size() const { return size_; }  ///< r
  /// True if K depends on neither t nor y.
  bool is_constant() const { return !of_state_ && !of_time_; }
  /// True if K(t, y) needs y.
  bool depends_on_state() const { return static_cast<bool>(of_state_); }
  /// True for e = (g, g', psi), false for e = f.
  bool is_second_order() const { return second_order_; }

  /// Returns K(t, y), r x r [1/s].
  /// @throws Error if K depends on y and y is empty, or has another size than r x r
  Eigen::MatrixXd K(double t, const Eigen::VectorXd& y = {}) const;

  /// Returns d^order K / dt^order, order 1 to 3. A derivative that is not given is found by central differences on
  /// seven points in t - 3/4 tau ... t + 3/4 tau.
  Eigen::MatrixXd derivative(int order, double t, double tau) const;

  /// Returns the units that make the entries of e comparable: ones for first order, (1, 1 / omega_i, 1) with omega_i^2
  /// = (K_P)_ii for second order. Lyapunov norms are built on D e, D = diag(scale), so they do not depend on the unit
  /// of time.
  const Eigen::VectorXd& scale() const { return scale_; }

 private:
  int size_ = 0;
  bool second_order_ = false;
  Eigen::MatrixXd constant_;
  OfTime of_time_;
  OfState of_state_;
  std::vector<OfTime> derivatives_;
  Eigen::VectorXd scale_;
};

}  // namespace sunlagrange
