#pragma once

#include <optional>

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

/// Physical domain of one coordinate, i.e. of one displacement in the unified variables effort, flow, momentum,
/// displacement. It says what a force on the coordinate is (newton, newton metre, volt, ...) and where its power goes.
enum class Domain {
  translation,  ///< length [m], force [N]
  rotation,     ///< angle [rad], torque [N m]
  electrical,   ///< charge [C], voltage [V]
  hydraulic,    ///< volume [m^3], pressure [Pa]
  thermal,      ///< entropy [J/K], temperature [K]; there is no thermal momentum
  economic,     ///< output [goods], investment [funds per time]; momentum: funds
};

/// What a block of coordinates means. Given to Assembly::add_coordinates; elements say what they want in
/// `static constexpr std::array<BlockKind, k> blocks`, and Assembly::add compares.
enum class BlockKind {
  generic,        ///< any size, no meaning: fits every element that wants as many coordinates
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

/// Number of coordinates; 0 for generic, whose blocks have the size they were added with.
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

/// Domain of coordinate i of a block of this kind; empty for generic. Euler parameters count as rotation.
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

/// What coordinate i of a block of this kind is called; empty: by its number, and where a block has one coordinate.
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

/// Natural scale of a displacement of this domain, in its SI unit: what atol counts in unless the user says otherwise
/// (Assembly::set_natural_scale). 1 where displacements are of the order of their unit; a litre and a millicoulomb,
/// because fluids and capacitors are stiff: 1e-8 m^3 too much in a litre of oil is 15 kPa.
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

/// The kind of a single coordinate of this domain.
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
