// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// Returns `system` with its coordinates in the blocks of `other`, which has as many; all blocks are of kind generic.
std::shared_ptr<const MechanicalSystem> with_blocks_of(const std::shared_ptr<const MechanicalSystem>& system,
                                                       const MechanicalSystem& other);

}  // namespace sunlagrange::internal
