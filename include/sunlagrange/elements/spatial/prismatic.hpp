// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/elements/spatial/joint.hpp>
#include <sunlagrange/internal/element_type.hpp>

namespace sunlagrange {

/// Slide: b moves along the joint axis z of a and does not turn against a. Ends BodyEnd or GroundEnd, see JointFrame;
/// the x axes of both ends must agree at the start, which BodyEnd::at with the same arguments provides.
///
/// g = x_a.z_b, y_a.z_b, x_a.d, y_a.d with d = P_a - P_b [m], and x_a.y_b. lambda[0..3] as in SpatialCylindrical;
/// lambda[4] [N m] is the torque about the axis: b receives +lambda[4] about z_a, a the opposite.
/// Orientations turned by half a turn satisfy the rows too; the start decides.
template <class A = BodyEnd, class B = BodyEnd>
struct SpatialPrismatic : SpatialJoint<SpatialPrismatic<A, B>, A, B, 5> {
  using SpatialJoint<SpatialPrismatic, A, B, 5>::SpatialJoint;

  template <class Rows>
  void describe(Rows& rows) const {
    rows.perpendicular(0, 2);
    rows.perpendicular(1, 2);
    rows.on_plane(0);
    rows.on_plane(1);
    rows.perpendicular(0, 1);
  }
  std::vector<std::string> constraint_names() const { return {"axis_x", "axis_y", "side_x", "side_y", "turn"}; }

  void draw(double, View<const double> q, Drawing& d) const {
    const Drawing::Point slider = this->b.draw(q, A::num_positions, d);
    d.rail(this->a.draw(q, 0, d), this->drawn_axis(2, q), slider);
    d.block(slider, this->drawn_axis(2, q));
  }
};

template <class A, class B>
SpatialPrismatic(A, B) -> SpatialPrismatic<A, B>;

extern template struct internal::ElementType<SpatialPrismatic<>>;

}  // namespace sunlagrange
