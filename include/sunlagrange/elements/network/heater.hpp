// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/elements/network/thermal.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Source of heat: a prescribed power goes into a body, independent of its temperature. Coordinates: entropy S of the
/// body, which is only read, and the entropy s that the heater has given [J/K].
///
///     psi = T(S) s' - P(t) = 0 [W]
///
/// Body and heater meet in an EntropyNode, signs: body -1, s +1; the multiplier is then -1, and the heater supplies P.
/// P < 0 cools. `P` is any law of laws.hpp. When not: for a prescribed temperature (ThermalReservoir behind a
/// ThermalResistance), nor for heat that something else in the system loses: that is ThermalResistance.
template <class Signal = Harmonic, class Body = ThermalCapacity>
struct Heater {
  Signal P{};
  Body body{};

  static constexpr int num_positions = 2;
  static constexpr int num_velocity_constraints = 1;
  static constexpr std::array<BlockKind, 2> blocks{BlockKind::thermal, BlockKind::thermal};

  void describe_parameters(Parameters& p) {
    p.part("P", P, "power as a function of t", "W");
    p.part("body", body, "the law of temperature, the same as in the element there");
  }

  template <class T>
  void velocity_constraint(T t, View<const T> q, View<const T> v, View<T> psi) const {
    psi[0] = body.temperature(q[0]) * v[1] - P(t);
  }
};

/// For a function of your own: `heater([](auto t) { return 10.0 * t; }, body)`.
template <class Signal, class Body = ThermalCapacity>
Heater<Signal, Body> heater(Signal P, Body body = {}) {
  return {P, body};
}

extern template struct internal::ElementType<Heater<>>;

}  // namespace sunlagrange
