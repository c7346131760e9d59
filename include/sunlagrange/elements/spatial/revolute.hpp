// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/elements/spatial/joint.hpp>
#include <sunlagrange/internal/element_type.hpp>

namespace sunlagrange {

/// Hinge: points coincide and the joint axes (z of both ends) stay parallel. Ends BodyEnd or GroundEnd, see JointFrame.
///
/// g = P_a - P_b [m], three rows in ground axes, then x_a.z_b and y_a.z_b. lambda[0..2] [N] are the joint force in
/// ground axes: a receives -lambda, b receives +lambda. lambda[3], lambda[4] [N m] are the hinge moments: while the
/// axes are parallel, b receives the torque -lambda[3] about y_a and +lambda[4] about x_a, a the opposite.
/// Antiparallel axes satisfy the rows too; the start decides. Not twice for one hinge line (five rows more are all
/// redundant): give the second bearing as a SpatialSpherical, or leave it out.
template <class A = BodyEnd, class B = BodyEnd>
struct SpatialRevolute : SpatialJoint<SpatialRevolute<A, B>, A, B, 5> {
  using SpatialJoint<SpatialRevolute, A, B, 5>::SpatialJoint;

  template <class Rows>
  void describe(Rows& rows) const {
    rows.coincide();
    rows.perpendicular(0, 2);
    rows.perpendicular(1, 2);
  }
  std::vector<std::string> constraint_names() const { return {"x", "y", "z", "axis_x", "axis_y"}; }

  void draw(double, View<const double> q, Drawing& d) const {
    d.hinge(this->a.draw(q, 0, d), this->drawn_axis(2, q));
    this->b.draw(q, A::num_positions, d);
  }
};

template <class A, class B>
SpatialRevolute(A, B) -> SpatialRevolute<A, B>;

extern template struct internal::ElementType<SpatialRevolute<>>;
extern template struct internal::ElementType<SpatialRevolute<BodyEnd, GroundEnd>>;
extern template struct internal::ElementType<SpatialRevolute<GroundEnd, BodyEnd>>;

}  // namespace sunlagrange
