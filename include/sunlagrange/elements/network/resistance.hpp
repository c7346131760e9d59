// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/units.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Dissipation in proportion to the square of the flow. Coordinate: one displacement of the domain, which
/// must have an inertia (or be held by constraints).
///
/// Effort e = R v, dissipated power R v^2: the force on the coordinate is -R v.
/// When not: for a coordinate without inertia, whose flow this law would have to determine: use MasslessBranch. When
/// not: for heat: conduction is ThermalResistance. For angles and lengths: RotationalDamperToGround,
/// AxialDamperToGround.
template <BlockKind kind>
struct Resistance {
  static_assert(kind != BlockKind::thermal, "sunlagrange: conduction of heat is ThermalResistance");

  double R = 1.0;

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{kind};
  static constexpr bool dissipative = true;

  void describe_parameters(Parameters& p) { p.not_negative("R", R, units_of(kind).resistance, "effort per flow"); }

  template <class T>
  void applied_force(T, View<const T>, View<const T> v, View<T> f) const {
    f[0] = -R * v[0];
  }
};

using Resistor = Resistance<BlockKind::electrical>;            ///< [ohm]: u = R i
using HydraulicResistance = Resistance<BlockKind::hydraulic>;  ///< [Pa s/m^3], laminar: 128 viscosity l / (pi d^4)
using EconomicResistance = Resistance<BlockKind::economic>;    ///< wear: investment lost for each unit of capacity

/// Flow through an orifice or a rough pipe: pressure drop in proportion to the square of the flow. Coordinate: a
/// volume.
///
/// Effort p = K Q sqrt(Q^2 + Q0^2): K Q |Q| for |Q| well above Q0, laminar with resistance K Q0 below, so that the law
/// is smooth where the flow turns round. Dissipated power p Q.
/// When not: for laminar flow throughout: HydraulicResistance.
struct TurbulentResistance {
  double K = 1.0;
  double Q0 = 1e-3;

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::hydraulic};
  static constexpr bool dissipative = true;

  void describe_parameters(Parameters& p) {
    p.not_negative("K", K, "Pa s^2/m^6", "density / (2 (coefficient x area)^2)");
    p.positive("Q0", Q0, "m^3/s", "flow of transition");
  }

  template <class T>
  void applied_force(T, View<const T>, View<const T> v, View<T> f) const {
    using std::sqrt;
    f[0] = -K * v[0] * sqrt(v[0] * v[0] + Q0 * Q0);
  }
};

extern template struct internal::ElementType<Resistor>;
extern template struct internal::ElementType<HydraulicResistance>;
extern template struct internal::ElementType<EconomicResistance>;
extern template struct internal::ElementType<TurbulentResistance>;

}  // namespace sunlagrange
