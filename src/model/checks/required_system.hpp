// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// @param who  name of the function that was called, for the message
/// @throws Error if the system is null
void require_system(const std::shared_ptr<const MechanicalSystem>& system, std::string_view who);

/// For functions that need masses, forces, energies or impulses, which a kinematic program does not have.
/// @param objection  completes "a kinematic program ...": the reason, and what to do instead
/// @throws Error if the system is a kinematic program, or null
void require_forces(const MechanicalSystem& system, std::string_view who, std::string_view objection);
void require_forces(const std::shared_ptr<const MechanicalSystem>& system, std::string_view who,
                    std::string_view objection);

}  // namespace sunlagrange::internal
