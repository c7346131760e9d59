#pragma once

#include <vector>

#include "import/rigid_bodies.hpp"

/// Where the bodies are, and how they move, when some joints are not at zero.
namespace sunlagrange::internal {

/// Of one body against its place with all joints at zero.
struct Displacement {
  Eigen::Isometry3d moved = Eigen::Isometry3d::Identity();
  Eigen::Vector3d spin = Eigen::Vector3d::Zero();   // angular velocity, ground axes
  Eigen::Vector3d drift = Eigen::Vector3d::Zero();  // velocity of what is at the origin of the ground
};

/// Along a tree of joints from the ground, and from every body that no joint joins to it.
/// @throws Error if a position or velocity is of an unknown joint, or one that is neither revolute nor prismatic
std::vector<Displacement> start_displacements(const RigidBodies& robot, const std::string& file,
                                              const ImportOptions& options);

}  // namespace sunlagrange::internal
