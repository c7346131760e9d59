// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/units.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Linear damper between two coordinates of one kind. Coordinates: (q1, q2).
///
/// q2 receives -c (q2' - q1'), q1 the opposite; it dissipates c (q2' - q1')^2 [W].
/// When not: for dry friction, which does not vanish with the rate. Between points of the plane: LinearDamper.
template <BlockKind Kind>
struct CoordinateDamper {
  double c = 1.0;

  static constexpr int num_positions = 2;
  static constexpr std::array<BlockKind, 2> blocks{Kind, Kind};
  static constexpr bool dissipative = true;

  void describe_parameters(Parameters& p) { p.not_negative("c", c, units_of(Kind).resistance, "force per rate"); }

  template <class T>
  void applied_force(T, View<const T>, View<const T> v, View<T> f) const {
    f[0] = c * (v[1] - v[0]);
    f[1] = -f[0];
  }
};

/// Linear damper between one coordinate and the ground: force -c q', it dissipates c q'^2 [W]. Otherwise as
/// CoordinateDamper.
template <BlockKind Kind>
struct CoordinateDamperToGround {
  double c = 1.0;

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{Kind};
  static constexpr bool dissipative = true;

  void describe_parameters(Parameters& p) { p.not_negative("c", c, units_of(Kind).resistance, "force per rate"); }

  template <class T>
  void applied_force(T, View<const T>, View<const T> v, View<T> f) const {
    f[0] = -c * v[0];
  }
};

/// Dampers of angles (c in N m s/rad) and of lengths (c in N s/m).
using RotationalDamper = CoordinateDamper<BlockKind::rotation>;
using RotationalDamperToGround = CoordinateDamperToGround<BlockKind::rotation>;
using AxialDamper = CoordinateDamper<BlockKind::translation>;
using AxialDamperToGround = CoordinateDamperToGround<BlockKind::translation>;

extern template struct internal::ElementType<RotationalDamper>;
extern template struct internal::ElementType<RotationalDamperToGround>;
extern template struct internal::ElementType<AxialDamper>;
extern template struct internal::ElementType<AxialDamperToGround>;

}  // namespace sunlagrange
