// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// A blade (skate, wheel without width) under a planar body: its point moves only along the blade. Coordinates:
/// (x, y, phi). Nonholonomic: it does not limit where the body can get to.
///
/// psi = n . (velocity of the point s) [m/s], n = (-sin, cos)(phi + axis) the normal on the left of the blade. At s the
/// body receives the force -lambda n [N].
/// When not: for a blade that can be torn sideways: nothing limits the force.
struct KnifeEdge {
  double sx = 0.0;
  double sy = 0.0;
  double axis = 0.0;

  static constexpr int num_positions = 3;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_body};
  static constexpr int num_velocity_constraints = 1;

  void describe_parameters(Parameters& p) {
    p.finite("sx", sx, "m", "contact point, from the reference point of the body, in its axes");
    p.finite("sy", sy, "m", "contact point, from the reference point of the body, in its axes");
    p.finite("axis", axis, "rad", "direction of the blade from the x axis of the body");
  }

  template <class T>
  void velocity_constraint(T, View<const T> q, View<const T> v, View<T> psi) const {
    psi[0] = dot(turned(0.0, 1.0, q[2] + axis), OnBody{sx, sy}.velocity(q.data(), v.data()));
  }

  void draw(double, View<const double> q, Drawing& d) const {
    d.block(OnBody{sx, sy}.draw(q, 0, d), drawn(turned(1.0, 0.0, q[2] + axis)));
  }
};

extern template struct internal::ElementType<KnifeEdge>;

}  // namespace sunlagrange
