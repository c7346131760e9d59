// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "import/description.hpp"

/// A rigid body: links joined by fixed joints, and links without inertia that nothing else depends on.
namespace sunlagrange::internal {

struct RigidBody {
  std::string name;                                    // of the link whose axes it has: the first one with mass
  std::string place;                                   // of this link
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  // in ground axes, all joints at zero
  double mass = 0.0;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();   // of mass, ground axes
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about it, own axes
  bool weight = true;
  std::vector<RobotVisual> visuals;  // poses from the centre of mass, own axes
};

struct RigidBodies {
  std::vector<RigidBody> bodies;
  std::vector<int> body_of;        // for each link: its body, or ground
  std::vector<RobotJoint> joints;  // between bodies, numbers of bodies as parent and child
};

/// Finds the rigid bodies, and adds notes to the description on merged links and on links that get a ball.
/// @throws Error listing all bodies whose inertia is impossible for a rigid body
RigidBodies rigid_bodies(RobotDescription& robot, const ImportOptions& options);

}  // namespace sunlagrange::internal
