// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

/// Physical domain of one coordinate, i.e. of one displacement in the unified variables effort, flow, momentum,
/// displacement. It gives the unit of a force on the coordinate (newton, newton metre, volt, ...).
enum class Domain {
  translation,  ///< length [m], force [N]
  rotation,     ///< angle [rad], torque [N m]
  electrical,   ///< charge [C], voltage [V]
  hydraulic,    ///< volume [m^3], pressure [Pa]
  thermal,      ///< entropy [J/K], temperature [K]; there is no thermal momentum
  economic,     ///< output [goods], investment [funds per time]; momentum: funds
};

/// The meaning of a block of coordinates, given to Assembly::add_coordinates. Elements state the kinds that they act on
/// in `static constexpr std::array<BlockKind, k> blocks`; Assembly::add compares.
enum class BlockKind {
  generic,        ///< any size, no meaning: accepted by every element with as many coordinates
  planar_point,   ///< x, y [m]
  planar_body,    ///< x, y [m] of the reference point, angle phi [rad], counterclockwise
  spatial_point,  ///< x, y, z [m]
  spatial_body,   ///< x, y, z [m] and Euler parameters e0, e1, e2, e3
  translation,    ///< one length [m]
  rotation,       ///< one angle [rad]
  electrical,     ///< one charge [C]
  hydraulic,      ///< one volume [m^3]
  thermal,        ///< one entropy [J/K]
  economic,       ///< output of one enterprise [goods]
};

/// Returns the number of coordinates; 0 for generic, whose blocks have any size.
constexpr int size_of(BlockKind kind) {
  switch (kind) {
    case BlockKind::generic:
      return 0;
    case BlockKind::planar_point:
      return 2;
    case BlockKind::planar_body:
    case BlockKind::spatial_point:
      return 3;
    case BlockKind::spatial_body:
      return 7;
    default:
      return 1;
  }
}

/// Returns the domain of coordinate i of a block of this kind; empty for generic. Euler parameters count as rotation.
constexpr std::optional<Domain> domain_of(BlockKind kind, int i) {
  switch (kind) {
    case BlockKind::generic:
      return std::nullopt;
    case BlockKind::planar_point:
    case BlockKind::spatial_point:
    case BlockKind::translation:
      return Domain::translation;
    case BlockKind::planar_body:
      return i < 2 ? Domain::translation : Domain::rotation;
    case BlockKind::spatial_body:
      return i < 3 ? Domain::translation : Domain::rotation;
    case BlockKind::rotation:
      return Domain::rotation;
    case BlockKind::electrical:
      return Domain::electrical;
    case BlockKind::hydraulic:
      return Domain::hydraulic;
    case BlockKind::thermal:
      return Domain::thermal;
    case BlockKind::economic:
      return Domain::economic;
  }
  return std::nullopt;
}

/// Returns the name of coordinate i of a block of this kind; empty if it is named by its number, or the only one.
constexpr const char* coordinate_name(BlockKind kind, int i) {
  constexpr const char* spatial[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
  constexpr const char* planar[] = {"x", "y", "phi"};
  switch (kind) {
    case BlockKind::planar_point:
    case BlockKind::planar_body:
      return planar[i];
    case BlockKind::spatial_point:
    case BlockKind::spatial_body:
      return spatial[i];
    default:
      return "";
  }
}

/// Returns the natural scale of a displacement of this domain, in its SI unit; atol is relative to it unless
/// Assembly::set_natural_scale changes it. It is 1 where displacements are of the order of their unit, and a litre or a
/// millicoulomb where fluids and capacitors are stiff: 1e-8 m^3 too much in a litre of oil is 15 kPa.
constexpr double natural_scale(Domain domain) {
  switch (domain) {
    case Domain::electrical:  // 1 mC
    case Domain::hydraulic:   // 1 l
      return 1e-3;
    case Domain::translation:
    case Domain::rotation:
    case Domain::thermal:
    case Domain::economic:
      break;
  }
  return 1.0;
}

/// Returns the kind of a block with a single coordinate of this domain.
constexpr BlockKind single_kind(Domain domain) {
  switch (domain) {
    case Domain::translation:
      return BlockKind::translation;
    case Domain::rotation:
      return BlockKind::rotation;
    case Domain::electrical:
      return BlockKind::electrical;
    case Domain::hydraulic:
      return BlockKind::hydraulic;
    case Domain::thermal:
      return BlockKind::thermal;
    case Domain::economic:
      return BlockKind::economic;
  }
  return BlockKind::generic;
}

constexpr auto names_of(Domain) {
  return enum_names("translation", "rotation", "electrical", "hydraulic", "thermal", "economic");
}

constexpr auto names_of(BlockKind) {
  return enum_names("generic", "planar_point", "planar_body", "spatial_point", "spatial_body", "translation",
                    "rotation", "electrical", "hydraulic", "thermal", "economic");
}

}  // namespace sunlagrange
