// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/units.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// The driving effort of a branch: a constant source against a compliance.
struct ChargedThrough {
  static constexpr const char* type_name = "ChargedThrough";

  double source = 1.0;
  double C = 1.0;

  void describe_parameters(Parameters& p) {
    p.finite("source", source, "", "effort");
    p.finite("C", C, "", "displacement per effort");
  }

  /// Effort at time t and displacement q.
  template <class T>
  T operator()(const T&, const T& q) const {
    return source - q / C;
  }
};

/// Resistance of a branch without inertia: its flow follows from the driving effort without delay. Coordinate: one
/// displacement.
///
///     psi = R v - drive(t, q) = 0,     drive: the efforts of all other elements on this coordinate, together
///
/// The row stands in for the missing momentum: without it nothing would determine v', as M is singular there. lambda is
/// the flow, effort R lambda = R v, dissipated power R v^2. Example, a resistor that charges a capacitor:
/// VoltageSource, Capacitor and MasslessBranch on one charge with drive = u(t) - q / C.
/// Wrong if `drive` is not the effort of the other elements: then lambda differs from v, and the power balance shows
/// it. Not in a branch with an inductor or mass: use Resistance there.
template <BlockKind kind = BlockKind::electrical, class Drive = ChargedThrough>
struct MasslessBranch {
  double R = 1.0;
  Drive drive{};

  static constexpr int num_positions = 1;
  static constexpr int num_velocity_constraints = 1;
  static constexpr std::array<BlockKind, 1> blocks{kind};
  static constexpr bool dissipative = true;

  void describe_parameters(Parameters& p) {
    p.positive("R", R, units_of(kind).resistance, "effort per flow");
    p.part("drive", drive, "effort of t, displacement");
  }

  template <class T>
  void velocity_constraint(T t, View<const T> q, View<const T> v, View<T> psi) const {
    psi[0] = R * v[0] - drive(t, q[0]);
  }
};

/// For a drive of your own: `massless_branch<BlockKind::electrical>(R, [](auto t, auto q) { return 1.0 - q; })`.
template <BlockKind kind, class Drive>
MasslessBranch<kind, Drive> massless_branch(double R, Drive drive) {
  return {R, drive};
}

extern template struct internal::ElementType<MasslessBranch<>>;

}  // namespace sunlagrange
