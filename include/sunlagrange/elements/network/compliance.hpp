// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/units.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Storage of energy by displacement, in any domain. Coordinate: one displacement of the domain.
///
/// Effort e = (q - rest) / C, potential energy V = (q - rest)^2 / (2 C): the force on the coordinate is -e.
/// When not: for C = 0 (a rigid connection: share the coordinate, or use a Junction); not for a body that stores heat:
/// its temperature is not linear in its entropy, use ThermalCapacity. Springs of angles and lengths take a stiffness:
/// TorsionSpringToGround, AxialSpringToGround.
template <BlockKind kind>
struct Compliance {
  static_assert(kind != BlockKind::thermal, "sunlagrange: what stores heat is ThermalCapacity");

  double C = 1.0;
  double rest = 0.0;

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{kind};

  void describe_parameters(Parameters& p) {
    p.positive("C", C, units_of(kind).compliance, "displacement per effort",
               "for a rigid connection share the coordinate, or use a Junction");
    p.finite("rest", rest, units_of(kind).displacement, "displacement without effort");
  }

  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[0] = -(q[0] - rest) / C;
  }

  double energy(double, View<const double> q, View<const double>) const {
    return 0.5 * (q[0] - rest) * (q[0] - rest) / C;
  }
};

using Capacitor = Compliance<BlockKind::electrical>;            ///< capacitance [F]: u = q / C
using HydraulicAccumulator = Compliance<BlockKind::hydraulic>;  ///< [m^3/Pa]; an open tank: area / (density x gravity)
using EconomicCompliance = Compliance<BlockKind::economic>;     ///< output for each unit of investment per time

extern template struct internal::ElementType<Capacitor>;
extern template struct internal::ElementType<HydraulicAccumulator>;
extern template struct internal::ElementType<EconomicCompliance>;

}  // namespace sunlagrange
