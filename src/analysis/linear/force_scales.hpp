#pragma once

#include <optional>

#include <Eigen/Core>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange::internal {

/// By what forces that nothing balances are judged: for each coordinate the largest force, reaction, or change of a
/// force by a natural scale of any displacement, in the part of the system that it belongs to. Coordinates belong
/// together that share a row of G or an entry of M or of the stiffness, so what a stiff spring would count as nothing
/// is seen where that spring does not act. Without a load forces are rounding: then the stiffness says what is typical.
/// Multipliers do not enter the stiffness, for false ones beside a singular pose have any size.
struct ForceScales {
  Eigen::VectorXd coordinates;  ///< n, as forces; never zero
  Eigen::VectorXd rows;         ///< m, the same as work on natural scales, of the part that a row acts on
  Eigen::VectorXd loads;        ///< n, the same of forces and reactions alone, bodies as one each; may be zero
  /// n, as forces: the last digit of the largest force or reaction of the system, and of what is typical of the body.
  Eigen::VectorXd rounding;
};

/// At q, v and lambda of a state. Nothing: the model declines it, or is not finite there.
/// @param scales  n, of the coordinates: displacements by which forces are compared as work, natural ones if in doubt
std::optional<ForceScales> force_scales(const MechanicalSystem& system, const MotionState& at,
                                        const Eigen::VectorXd& scales);

}  // namespace sunlagrange::internal
