// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/units.hpp>

namespace sunlagrange::internal {

/// Returns the SI unit of coordinate i, or of its rate or acceleration (order 1, 2); Euler parameters: "1", "1/s";
/// empty: unknown.
inline std::string coordinate_unit(const MechanicalSystem& system, int i, int order = 0) {
  const std::optional<Domain> domain = system.position_domain(i);
  if (!domain.has_value()) return "";
  const bool ratio = system.position_kind(i) == BlockKind::spatial_body && *domain == Domain::rotation;
  if (order == 1) return ratio ? "1/s" : units_of(*domain).flow;
  const std::string unit = ratio ? "1" : units_of(*domain).displacement;
  return order == 0 ? unit : unit + "/s^2";
}

}  // namespace sunlagrange::internal
