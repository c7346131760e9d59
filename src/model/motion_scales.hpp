// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/internal/quantities.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange::internal {

/// Characteristic magnitudes of a motion, read from its start. Error weights use them. Norms are maximum norms in
/// natural scales.
struct Scales {
  double position = 1.0;  ///< typical |q|: MotionState::typical_position if given, else max |q|
  /// T = min(q/|v0|, sqrt(q/|a0|), 1 s): the time in which the motion covers |q|, at most the second of Tolerances [s].
  /// The length of a run is no scale: errors would depend on how much longer the run goes on.
  double time = 1.0;
};

Scales characteristic_scales(const MechanicalSystem& system, const MotionState& start);

/// Returns the diagonal of M. Coordinates without mass get the largest mass (assign_missing_masses).
Eigen::VectorXd lumped_mass(const MechanicalSystem& system, const Workspace& w);

/// Returns the first `rows` entries of the diagonal of A M^-1 A^T, with M lumped to the diagonal `mass`.
Eigen::VectorXd squared_row_norms(const PatternMatrix& A, const Eigen::VectorXd& mass, int rows);

/// Returns the diagonal of G M^-1 G^T with M lumped (lumped_mass). A compliance of a row divided by its entry is free
/// of units.
Eigen::VectorXd lumped_schur_diagonal(const MechanicalSystem& system, const Workspace& w);

}  // namespace sunlagrange::internal
