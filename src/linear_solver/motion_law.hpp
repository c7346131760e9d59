#pragma once

#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {

/// How a system moves: what follows from (t, q, v), and which errors its constraints can have. Two laws:
///
///     mechanical systems    M v' + G^T lambda = f,   G v' = gamma         v is free where (g', psi) = 0
///     kinematic programs    v + A^T mu = w,          A v = a - f_t        v follows from (t, y), v' from it
///
/// Outside model/ and checks of misuse, whoever does one thing for mechanical systems and another for programs asks
/// the law.
class MotionLaw {
 public:
  virtual ~MotionLaw() = default;

  /// Inertia and forces: velocities are initial values, accelerations are solved for. Without: both are those of the
  /// formulation that follows the program, gains included.
  virtual bool has_forces() const = 0;

  /// v' and lambda at the factorised point. Of a program v' is not touched, and lambda is mu of the velocity v.
  virtual EvaluationResult complete(SaddlePointSystem& saddle, const double* v, double* a, double* lambda) const = 0;

  /// Rows whose error has an acceleration, g'' + K_D g' + K_P g = 0; it is the first rows. The others: psi' + K_N psi =
  /// 0, of programs f' + K_N f = 0.
  virtual int second_order_rows(const MechanicalSystem& system) const = 0;

  /// max |(g', psi)| of the rates of rows; NaN for programs, whose velocities have no error of their own.
  virtual double velocity_violation(const Eigen::VectorXd& rates) const = 0;

  /// v^T M v / 2 [J]; NaN for programs, whose identity is no mass.
  virtual double kinetic_energy(const PatternMatrix& M, const Eigen::VectorXd& v) const = 0;

  /// The errors of all constraints in one vector: (g, g', psi), of programs f.
  int error_size(const MechanicalSystem& system) const { return second_order_rows(system) + system.num_constraints(); }
  virtual void error(const Workspace& w, Eigen::VectorXd& e) const = 0;
};

const MotionLaw& motion_law(const MechanicalSystem& system);

}  // namespace sunlagrange::internal
