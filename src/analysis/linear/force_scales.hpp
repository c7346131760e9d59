// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include <Eigen/Core>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange::internal {

/// Typical forces, to which unbalanced forces are compared. The typical force of a coordinate is the largest force,
/// reaction, or change of a force by a displacement of one natural scale in the part of the system that it belongs to.
/// Coordinates that share a row of G or an entry of M or of the stiffness belong to one part, so a stiff spring has no
/// influence where it does not act. Without a load all forces are rounding, and the stiffness alone sets the scale.
/// Multipliers do not enter the stiffness, because wrong ones near a singular pose can have any size.
struct ForceScales {
  Eigen::VectorXd coordinates;  ///< n, forces; never zero
  Eigen::VectorXd rows;         ///< m, work on natural scales, of the part that a row acts on
  Eigen::VectorXd loads;  ///< n, as `coordinates` but of forces and reactions alone, each body on its own; may be zero
  /// n, forces: rounding of the largest force or reaction of the system, and of the typical force of the body
  Eigen::VectorXd rounding;
};

/// Returns the typical forces at q, v and lambda of a state, or nothing if the model declines it or is not finite
/// there.
/// @param scales  n, displacements of the coordinates by which forces are compared as work, e.g. natural scales
std::optional<ForceScales> force_scales(const MechanicalSystem& system, const MotionState& at,
                                        const Eigen::VectorXd& scales);

}  // namespace sunlagrange::internal
