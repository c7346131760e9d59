#pragma once

#include <Eigen/Core>

#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// The two kinds of systems, and what differs between them:
///
///     mechanical systems    M v' + G^T lambda = f,   G v' = gamma         v is free where (g', psi) = 0
///     kinematic programs    v + A^T mu = w,          A v = a - f_t        v follows from (t, y), v' from it
///
/// Code above model/ that treats the two kinds differently asks this class. Checks of misuse ask
/// MechanicalSystem::first_order().
class MotionLaw {
 public:
  virtual ~MotionLaw() = default;

  /// True if there are inertia and forces: velocities are initial values and accelerations are solved for. False:
  /// velocities and accelerations are those of the formulation that follows the program, gains included.
  virtual bool has_forces() const = 0;

  /// Returns the number of rows whose error obeys g'' + K_D g' + K_P g = 0; these rows come first. The error of each
  /// other row obeys psi' + K_N psi = 0; for programs f' + K_N f = 0.
  virtual int second_order_rows(const MechanicalSystem& system) const = 0;

  /// Returns max |(g', psi)| for the given rates of the rows; NaN for programs, whose velocities have no error of their
  /// own.
  virtual double velocity_violation(const Eigen::VectorXd& rates) const = 0;

  /// Returns v^T M v / 2 [J]; NaN for programs, whose M = I is no mass.
  virtual double kinetic_energy(const PatternMatrix& M, const Eigen::VectorXd& v) const = 0;

  /// Copies the errors of all constraints into one vector: (g, g', psi), for programs f.
  virtual void error(const Workspace& w, Eigen::VectorXd& e) const = 0;
  int error_size(const MechanicalSystem& system) const { return second_order_rows(system) + system.num_constraints(); }
};

const MotionLaw& motion_law(const MechanicalSystem& system);

}  // namespace sunlagrange::internal
