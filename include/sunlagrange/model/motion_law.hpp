// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace sunlagrange {

/// The differences between the two kinds of systems, as values; MechanicalSystem::motion_law() returns them.
///
///     mechanical systems    M v' + G^T lambda = f,   G v' = gamma         v is free where (g', psi) = 0
///     kinematic programs    v + A^T mu = w,          A v = a - f_t        v follows from (t, y), v' from it
///
/// Code that depends on the kind of a system reads the value that matters to it, so that the reason can be seen:
///
///  - A function that needs masses, forces, energies or impulses calls require_forces() of
///    model/checks/required_system.hpp first, which refuses programs.
///  - Sizes and loops over constraint errors take second_order_rows, velocity_rows and error_size().
///  - Everything else reads has_forces.
///
/// MechanicalSystem::first_order() is for applications; the library itself does not ask it elsewhere.
struct MotionLaw {
  /// True if there are inertia and forces: velocities are initial values, and accelerations are solved for. False:
  /// velocities and accelerations are those of the formulation that follows the program, gains included.
  bool has_forces = true;

  /// Number of rows whose error obeys g'' + K_D g' + K_P g = 0; these rows come first. The error of each other row
  /// obeys psi' + K_N psi = 0; for programs f' + K_N f = 0.
  int second_order_rows = 0;

  /// Number of entries of (g', psi) that are errors of their own: all rows, 0 for programs.
  int velocity_rows = 0;

  /// Length of the vector (g, g', psi) of all constraint errors; for programs of f.
  int error_size = 0;

  /// Returns max |(g', psi)|; NaN for programs, whose velocities have no error of their own.
  double velocity_violation(const Eigen::VectorXd& g_rate) const;
};

}  // namespace sunlagrange
