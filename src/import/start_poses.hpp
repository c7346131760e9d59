// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <Eigen/Core>

#include "import/rigid_bodies.hpp"

/// Coordinates and velocities of the bodies when some joints are not at zero.
namespace sunlagrange::internal {

/// A joint whose coordinate is start + rate t.
struct HeldJoint {
  std::size_t number;  ///< place in RigidBodies::joints
  double start = 0.0, rate = 0.0;
};

/// Returns the mechanism with these joints driven.
using WithJointsHeld = std::function<std::shared_ptr<const MechanicalSystem>(const std::vector<HeldJoint>& held)>;

/// Coordinates of all bodies in their order, 7 for each, and their rates.
struct StartState {
  Eigen::VectorXd q, v;
};

/// Returns the start with the joints at the positions and rates that the options name. Along a tree of joints the
/// others are at zero. Where joints close loops the others follow: the positions are approached in small steps from the
/// pose of the description, so that the loops keep their branch.
/// @throws Error if a position or velocity names an unknown joint, or one that is neither revolute nor prismatic, or if
/// the loops do not allow these values
StartState start_state(const RigidBodies& robot, const std::string& file, const ImportOptions& options,
                       const WithJointsHeld& with_joints_held);

}  // namespace sunlagrange::internal
