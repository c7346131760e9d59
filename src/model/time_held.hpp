// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// Returns the same system at a fixed time, so that loads do not change. Coordinates keep names and scales, but not
/// their kinds. When not: for rows that move at that time; their rates stay, but their positions do not follow.
std::shared_ptr<const MechanicalSystem> with_time_held(const std::shared_ptr<const MechanicalSystem>& system, double t);

}  // namespace sunlagrange::internal
