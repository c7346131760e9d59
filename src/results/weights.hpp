// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// A weight whose mass is not the mass that resists acceleration.
struct WeightMismatch {
  std::string text;         ///< names of the elements, and both masses
  double difference = 0.0;  ///< |weight - inertia| / the larger of both
};

/// Returns the blocks on which elements of the library act as weight and as inertia with different masses, or as weight
/// without any inertia. Blocks with elements of the user that have a mass matrix or forces are left out, for these may
/// be the other part.
std::vector<WeightMismatch> mismatched_weights(const MechanicalSystem& system);

}  // namespace sunlagrange::internal
