#pragma once

#include <memory>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// The same system with one time for ever: loads stay as they are then. Coordinates keep names and scales, not their
/// kinds. Not for rows that move at that time: their rates stay, too, while their places do not follow.
std::shared_ptr<const MechanicalSystem> with_time_held(const std::shared_ptr<const MechanicalSystem>& system, double t);

}  // namespace sunlagrange::internal
