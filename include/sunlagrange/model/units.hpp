// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include <sunlagrange/model/block_kind.hpp>

namespace sunlagrange {

/// SI units of the quantities of a domain; names as in domains.hpp.
struct DomainUnits {
  const char* displacement;  ///< unit of q
  const char* flow;          ///< unit of v = q'
  const char* effort;        ///< unit of a force on the coordinate
  const char* stiffness;     ///< effort per displacement
  const char* compliance;    ///< displacement per effort
  const char* resistance;    ///< effort per flow
  const char* inertia;       ///< effort per derivative of the flow
};

/// Returns the units of the variables of a domain, or of the domain of a kind of block.
constexpr DomainUnits units_of(Domain domain) {
  switch (domain) {
    case Domain::translation:
      return {"m", "m/s", "N", "N/m", "m/N", "N s/m", "kg"};
    case Domain::rotation:
      return {"rad", "rad/s", "N m", "N m/rad", "rad/(N m)", "N m s/rad", "kg m^2"};
    case Domain::electrical:
      return {"C", "A", "V", "V/C", "F", "ohm", "H"};
    case Domain::hydraulic:
      return {"m^3", "m^3/s", "Pa", "Pa/m^3", "m^3/Pa", "Pa s/m^3", "Pa s^2/m^3"};
    case Domain::thermal:
      return {"J/K", "W/K", "K", "K^2/J", "J/K^2", "K^2/W", "K^2 s/W"};
    case Domain::economic:
      return {"goods", "goods/s", "funds/s", "funds/(goods s)", "goods s/funds", "funds/goods", "funds s/goods"};
  }
  return {};
}

/// Returns the units of a block by its first coordinate.
constexpr DomainUnits units_of(BlockKind kind) {
  const std::optional<Domain> domain = domain_of(kind, 0);
  return domain.has_value() ? units_of(*domain) : DomainUnits{"", "", "", "", "", "", ""};
}

}  // namespace sunlagrange
