#pragma once

#include <vector>

#include "import/rigid_bodies.hpp"

/// Poses and velocities of the bodies when some joints are not at zero.
namespace sunlagrange::internal {

/// Displacement and velocity of one body, from its pose with all joints at zero.
struct Displacement {
  Eigen::Isometry3d moved = Eigen::Isometry3d::Identity();
  Eigen::Vector3d spin = Eigen::Vector3d::Zero();   // angular velocity, ground axes
  Eigen::Vector3d drift = Eigen::Vector3d::Zero();  // velocity of the point at the origin of the ground
};

/// Computes them along a tree of joints from the ground, and from every body that no joint connects to it.
/// @throws Error if a position or velocity names an unknown joint, or one that is neither revolute nor prismatic
std::vector<Displacement> start_displacements(const RigidBodies& robot, const std::string& file,
                                              const ImportOptions& options);

}  // namespace sunlagrange::internal
