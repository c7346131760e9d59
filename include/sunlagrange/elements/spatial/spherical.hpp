// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/elements/spatial/joint.hpp>
#include <sunlagrange/internal/element_type.hpp>

namespace sunlagrange {

/// Ball joint: two points coincide. Ends of any kind, see JointFrame; axes are not used.
///
/// g = P_a - P_b [m], three rows in ground axes. lambda [N] are the components of the joint force in ground axes: a
/// receives -lambda, b receives +lambda, at the joint.
/// When not: between two point masses: let both share one block instead, at no cost.
template <class A = BodyEnd, class B = BodyEnd>
struct SpatialSpherical : SpatialJoint<SpatialSpherical<A, B>, A, B, 3> {
  using SpatialJoint<SpatialSpherical, A, B, 3>::SpatialJoint;

  template <class Rows>
  void describe(Rows& rows) const {
    rows.coincide();
  }
  std::vector<std::string> constraint_names() const { return {"x", "y", "z"}; }
};

template <class A, class B>
SpatialSpherical(A, B) -> SpatialSpherical<A, B>;

extern template struct internal::ElementType<SpatialSpherical<>>;
extern template struct internal::ElementType<SpatialSpherical<BodyEnd, GroundEnd>>;
extern template struct internal::ElementType<SpatialSpherical<GroundEnd, BodyEnd>>;

}  // namespace sunlagrange
