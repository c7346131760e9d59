// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/elements/spatial/joint.hpp>
#include <sunlagrange/internal/element_type.hpp>

namespace sunlagrange {

/// Weld: points coincide, and so do the axes x, y, z of both ends. Ends BodyEnd or GroundEnd, see JointFrame;
/// BodyEnd::at with the same arguments makes the axes fit.
///
/// g = P_a - P_b [m], three rows in ground axes, then x_a.z_b, y_a.z_b, x_a.y_b. lambda[0..2] [N] are the force in
/// ground axes: a receives -lambda, b receives +lambda. lambda[3..5] [N m] are the moments on b: -lambda[3] about y_a,
/// +lambda[4] about x_a, +lambda[5] about z_a; a receives the opposite.
/// Orientations turned by half a turn satisfy the rows too; the start decides. When not: parts that never come apart
/// are cheaper as one body; a weld is for reactions, for releasing it later, or to close a loop.
template <class A = BodyEnd, class B = BodyEnd>
struct SpatialFixed : SpatialJoint<SpatialFixed<A, B>, A, B, 6> {
  using SpatialJoint<SpatialFixed, A, B, 6>::SpatialJoint;

  template <class Rows>
  void describe(Rows& rows) const {
    rows.coincide();
    rows.perpendicular(0, 2);
    rows.perpendicular(1, 2);
    rows.perpendicular(0, 1);
  }
  std::vector<std::string> constraint_names() const { return {"x", "y", "z", "turn_y", "turn_x", "turn_z"}; }
};

template <class A, class B>
SpatialFixed(A, B) -> SpatialFixed<A, B>;

extern template struct internal::ElementType<SpatialFixed<>>;

}  // namespace sunlagrange
