// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <sunlagrange/elements/spatial/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// Skate or blade on a plane of the ground: its point stays on the plane and does not move sideways. Coordinates: the
/// body's; the end's point is the contact point, its z the direction of the blade (body z at the centre of mass by
/// default).
///
/// With n the normal of the plane, b the blade and s = n x b / |n x b|: one holonomic row, n.(P - P0) [m], contact; one
/// nonholonomic row, s.P' [m/s]. At P the body receives -lambda[contact] n [N], so that lambda[contact] < 0 is pressure
/// (nothing lifts off), and the side force -lambda[side] s [N]; both do no work.
/// Declines a blade along n, which has no direction in the plane. When not: for a blade that digs in along a curve:
/// this one touches in one point.
struct SpatialSkate {
  BodyEnd blade{};
  GroundEnd plane{};

  static constexpr int num_positions = spatial::body_size;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::spatial_body};
  static constexpr int num_constraints = 1;
  static constexpr int num_velocity_constraints = 1;

  void describe_parameters(Parameters& p) {
    p.part("blade", blade, "contact point and direction (z) of the blade");
    p.part("plane", plane, "a point of the plane and its normal (z)");
  }

  SpatialSkate() = default;
  explicit SpatialSkate(const BodyEnd& point_and_direction, const GroundEnd& on = {})
      : blade(point_and_direction), plane(on) {}

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const spatial::Vector3<T> above =
        spatial::difference(blade.point(q), spatial::constant_vector<T>(plane.fixed_point()));
    g[0] = spatial::dot(above, plane.fixed_axis(2));
  }

  template <class T>
  bool velocity_constraint(T, View<const T> q, View<const T> v, View<T> psi) const {
    using std::sqrt;
    const spatial::Vector3<T> opposite = spatial::cross(blade.axis(2, q), plane.fixed_axis(2));  // b x n
    const T square = spatial::dot(opposite, opposite);
    if (!(square > 0.0)) return false;
    psi[0] = -spatial::dot(opposite, blade.point_rate(q, v)) / sqrt(square);
    return true;
  }

  std::vector<std::string> constraint_names() const { return {"contact", "side"}; }

  void draw(double, View<const double> q, Drawing& d) const {
    const Drawing::Point contact = blade.draw(q, 0, d);
    d.block(contact, spatial::drawn(blade.axis(2, q)));
    d.trace(contact);
  }
};

extern template struct internal::ElementType<SpatialSkate>;

}  // namespace sunlagrange
