#pragma once

#include <array>

#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// What keeps a flow going, in any domain that has a momentum. Coordinate: one displacement of the domain.
///
/// Momentum p = I v, kinetic energy T = I v^2 / 2, effort e = I v': it resists changes of the flow.
/// Not for points and bodies, whose coordinates are more than one (PointMass, PlanarRigidBody, ...); not for an
/// inductor whose iron saturates: write its kinetic energy as an element of your own.
template <BlockKind kind>
struct Inertia {
  static_assert(kind != BlockKind::thermal, "sunlagrange: there is no thermal momentum, so no thermal inertia");

  double I = 1.0;  ///< effort per rate of change of the flow, positive; units at the names below

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{kind};
  static constexpr bool constant_mass_matrix = true;

  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = I;
  }
};

using Carriage = Inertia<BlockKind::translation>;          ///< mass that moves along a line [kg]
using Rotor = Inertia<BlockKind::rotation>;                ///< moment of inertia [kg m^2]
using Inductor = Inertia<BlockKind::electrical>;           ///< inductance [H]: u = L i'
using HydraulicInertance = Inertia<BlockKind::hydraulic>;  ///< [Pa s^2/m^3] = density x length / area of a pipe
using EconomicInertia = Inertia<BlockKind::economic>;      ///< capital for each change of capacity

}  // namespace sunlagrange
