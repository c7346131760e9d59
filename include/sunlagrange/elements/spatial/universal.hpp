// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/elements/spatial/joint.hpp>
#include <sunlagrange/internal/element_type.hpp>

namespace sunlagrange {

/// Universal (Cardan, Hooke) joint: points coincide, and the axis of the cross in a stays normal to that in b. Ends
/// BodyEnd or GroundEnd, see JointFrame; z of each end is its arm of the cross, not its shaft.
///
/// g = P_a - P_b [m], three rows in ground axes, then z_a.z_b. lambda[0..2] [N] are the joint force in ground axes: a
/// receives -lambda, b receives +lambda. lambda[3] [N m] is the torque through the cross: b receives -lambda[3] about
/// z_b x z_a, a the opposite.
/// When not: to drive a shaft at a right angle to the other: there the torque through the cross has no part along it.
template <class A = BodyEnd, class B = BodyEnd>
struct SpatialUniversal : SpatialJoint<SpatialUniversal<A, B>, A, B, 4> {
  using SpatialJoint<SpatialUniversal, A, B, 4>::SpatialJoint;

  template <class Rows>
  void describe(Rows& rows) const {
    rows.coincide();
    rows.perpendicular(2, 2);
  }
  std::vector<std::string> constraint_names() const { return {"x", "y", "z", "cross"}; }

  void draw(double, View<const double> q, Drawing& d) const {
    const Drawing::Point centre = this->a.draw(q, 0, d);
    d.hinge(centre, this->drawn_axis(2, q));
    d.hinge(centre, spatial::drawn(this->b.axis(2, spatial::part(q, A::num_positions, B::num_positions))));
    this->b.draw(q, A::num_positions, d);
  }
};

template <class A, class B>
SpatialUniversal(A, B) -> SpatialUniversal<A, B>;

extern template struct internal::ElementType<SpatialUniversal<>>;

}  // namespace sunlagrange
