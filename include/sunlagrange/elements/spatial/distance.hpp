// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/elements/spatial/joint.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// Constant distance of two points, e.g. a massless rod with ball joints. Ends of any kind, see JointFrame.
///
/// g = (d.d - L^2) / 2 with d = P_a - P_b [m^2]: no square root, so g is a polynomial. The force on a is -lambda d, on
/// b +lambda d; lambda > 0 is tension, of lambda L newton. When not: for L = 0: the gradient vanishes there and the row
/// is lost; use SpatialSpherical.
template <class A = BodyEnd, class B = BodyEnd>
struct SpatialDistance : SpatialJoint<SpatialDistance<A, B>, A, B, 1> {
  double L = 1.0;

  void describe_parameters(Parameters& p) {
    SpatialJoint<SpatialDistance, A, B, 1>::describe_parameters(p);
    p.positive("L", L, "m", "length", "use SpatialSpherical instead");
  }

  SpatialDistance() = default;
  /// The ends and the length [m], > 0.
  SpatialDistance(const A& end_a, const B& end_b, double length)
      : SpatialJoint<SpatialDistance, A, B, 1>(end_a, end_b), L(length) {}

  template <class Rows>
  void describe(Rows& rows) const {
    rows.distance(L);
  }

  void draw(double, View<const double> q, Drawing& d) const {
    d.rod(this->a.draw(q, 0, d), this->b.draw(q, A::num_positions, d));
  }
};

extern template struct internal::ElementType<SpatialDistance<>>;

}  // namespace sunlagrange
