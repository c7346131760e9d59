// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/elements/spatial/joint.hpp>
#include <sunlagrange/internal/element_type.hpp>

namespace sunlagrange {

/// Sleeve on a round bar: both ends share the joint axis z, along and about which they move freely. Ends BodyEnd or
/// GroundEnd, see JointFrame.
///
/// g = x_a.z_b, y_a.z_b, x_a.d, y_a.d with d = P_a - P_b [m]. lambda[0], lambda[1] [N m] are the bending moments: while
/// the axes are parallel, b receives -lambda[0] about y_a and +lambda[1] about x_a. lambda[2], lambda[3] [N] are the
/// side forces at P_b: b receives +lambda[2] x_a + lambda[3] y_a, a the opposite on the same line.
/// When not: if the bar is not round: SpatialPrismatic.
template <class A = BodyEnd, class B = BodyEnd>
struct SpatialCylindrical : SpatialJoint<SpatialCylindrical<A, B>, A, B, 4> {
  using SpatialJoint<SpatialCylindrical, A, B, 4>::SpatialJoint;

  template <class Rows>
  void describe(Rows& rows) const {
    rows.perpendicular(0, 2);
    rows.perpendicular(1, 2);
    rows.on_plane(0);
    rows.on_plane(1);
  }
  std::vector<std::string> constraint_names() const { return {"axis_x", "axis_y", "side_x", "side_y"}; }

  void draw(double, View<const double> q, Drawing& d) const {
    const Drawing::Point slider = this->b.draw(q, A::num_positions, d);
    d.rail(this->a.draw(q, 0, d), this->drawn_axis(2, q), slider);
    d.block(slider, this->drawn_axis(2, q));
  }
};

template <class A, class B>
SpatialCylindrical(A, B) -> SpatialCylindrical<A, B>;

extern template struct internal::ElementType<SpatialCylindrical<>>;

}  // namespace sunlagrange
