#pragma once

#include <string>
#include <vector>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// Returns a sentence for each body or point whose weights (UniformGravity, SpatialGravity) belong to another mass than
/// its inertias (PlanarRigidBody, PointMass, SpatialRigidBody, SpatialPointMass). A block without weight or inertia, or
/// with BodyGravity or EccentricBody, has no sentence. Masses of other elements (rods, own types) are not known here.
std::vector<std::string> notes_on_weights(const MechanicalSystem& system);

}  // namespace sunlagrange::internal
