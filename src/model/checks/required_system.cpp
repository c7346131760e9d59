// SPDX-License-Identifier: BSD-3-Clause
#include "model/checks/required_system.hpp"

#include <string>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange::internal {

void require_system(const std::shared_ptr<const MechanicalSystem>& system, std::string_view who) {
  if (system == nullptr)
    throw Error(std::string(who) +
                ": the system is null; build it with make_system(), Assembly::build() or make_program()");
}

void require_forces(const MechanicalSystem& system, std::string_view who, std::string_view objection) {
  if (system.first_order()) throw Error(std::string(who) + ": a kinematic program " + std::string(objection));
}

void require_forces(const std::shared_ptr<const MechanicalSystem>& system, std::string_view who,
                    std::string_view objection) {
  require_system(system, who);
  require_forces(*system, who, objection);
}

}  // namespace sunlagrange::internal
