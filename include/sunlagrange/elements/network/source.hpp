// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Prescribed effort, independent of the flow. Coordinate: one displacement of the domain.
///
/// Force on the coordinate +e(t); it supplies the power e(t) v, and effort in the balance is -e(t).
/// `e` is any law of laws.hpp. When not: where the flow is prescribed (FlowSource), nor for forces on points and
/// bodies.
template <BlockKind kind, class Signal = Harmonic>
struct EffortSource {
  Signal e{};

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{kind};

  void describe_parameters(Parameters& p) { p.part("e", e, "effort as a function of t"); }

  template <class T>
  void applied_force(T t, View<const T>, View<const T>, View<T> f) const {
    f[0] = e(t);
  }
};

/// For a function of your own: `effort_source<BlockKind::electrical>([](auto t) { return 12.0 * t; })`.
template <BlockKind kind, class Signal>
EffortSource<kind, Signal> effort_source(Signal e) {
  return {e};
}

template <class Signal = Harmonic>
using VoltageSource = EffortSource<BlockKind::electrical, Signal>;  ///< [V]
template <class Signal = Harmonic>
using PressureSource = EffortSource<BlockKind::hydraulic, Signal>;  ///< [Pa]

/// Prescribed flow, independent of the effort. Coordinate: one displacement of the domain.
///
///     psi = v - flow(t) = 0
///
/// -lambda is the effort that the rest of the system asks of the source, the force on the coordinate; the source
/// supplies -lambda v. When not: where the displacement itself is known: prescribe it by a holonomic row, which does
/// not drift; not in series with an inertia whose flow is another one at the start.
template <BlockKind kind, class Signal = Harmonic>
struct FlowSource {
  Signal flow{};

  static constexpr int num_positions = 1;
  static constexpr int num_velocity_constraints = 1;
  static constexpr std::array<BlockKind, 1> blocks{kind};

  void describe_parameters(Parameters& p) { p.part("flow", flow, "flow as a function of t"); }

  template <class T>
  void velocity_constraint(T t, View<const T>, View<const T> v, View<T> psi) const {
    psi[0] = v[0] - flow(t);
  }
};

/// For a function of your own: `flow_source<BlockKind::hydraulic>([](auto t) { return 1e-4 * t; })`.
template <BlockKind kind, class Signal>
FlowSource<kind, Signal> flow_source(Signal flow) {
  return {flow};
}

template <class Signal = Harmonic>
using CurrentSource = FlowSource<BlockKind::electrical, Signal>;  ///< [A]
template <class Signal = Harmonic>
using PumpFlow = FlowSource<BlockKind::hydraulic, Signal>;  ///< displacement pump [m^3/s]

extern template struct internal::ElementType<VoltageSource<>>;
extern template struct internal::ElementType<CurrentSource<>>;
extern template struct internal::ElementType<PressureSource<>>;
extern template struct internal::ElementType<PumpFlow<>>;

}  // namespace sunlagrange
