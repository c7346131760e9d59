#pragma once

#include <string>
#include <vector>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// Bodies and points whose weights (UniformGravity, SpatialGravity) add up to that of another mass than their inertias
/// (PlanarRigidBody, PointMass, SpatialRigidBody, SpatialPointMass), a sentence each. Where one of the two is missing,
/// or BodyGravity or EccentricBody act on the block, nothing is said: they may be meant so. Masses of other elements
/// (rods, own types) are not known here.
std::vector<std::string> notes_on_weights(const MechanicalSystem& system);

}  // namespace sunlagrange::internal
