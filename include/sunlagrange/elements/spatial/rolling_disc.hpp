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

/// Thin disc that rolls on a plane of the ground without slipping. Coordinates: the body's; the centre of the disc is
/// the end's point, its axis the end's z (centre of mass and body z by default).
///
/// With n the normal of the plane, a the axis and d = a x (a x n) / |a x n| the direction from the centre to the
/// contact point: one holonomic row, n.(P - P0) - R |a x n| [m], contact; two nonholonomic rows, x.u and y.u [m/s] with
/// u = P' + R w x d the velocity of the disc's material point in contact and x, y the axes in the plane. At the contact
/// point the disc receives -lambda[contact] n [N], so that lambda[contact] < 0 is pressure (the rows hold either way:
/// nothing lifts off), and friction -lambda[x] x - lambda[y] y [N]; all three do no work.
/// Declines the flat disc, a parallel to n, which has no contact point.
/// When not: for a wheel on a wheel or on a moving plane, nor for a rim with a round profile.
struct SpatialRollingDisc {
  BodyEnd disc{};
  double R = 1.0;
  GroundEnd plane{};

  static constexpr int num_positions = spatial::body_size;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::spatial_body};
  static constexpr int num_constraints = 1;
  static constexpr int num_velocity_constraints = 2;

  void describe_parameters(Parameters& p) {
    p.part("disc", disc, "centre and axis (z) of the disc");
    p.positive("R", R, "m", "radius");
    p.part("plane", plane, "a point of the plane, its normal (z) and the directions x, y in it");
  }

  SpatialRollingDisc() = default;
  explicit SpatialRollingDisc(double radius, const BodyEnd& centre_and_axis = {}, const GroundEnd& on = {})
      : disc(centre_and_axis), R(radius), plane(on) {}

  template <class T>
  bool constraint(T, View<const T> q, View<T> g) const {
    using std::sqrt;
    const spatial::Vector3<T> across = spatial::cross(disc.axis(2, q), plane.fixed_axis(2));
    const T square = spatial::dot(across, across);
    if (!(square > 0.0)) return false;
    const spatial::Vector3<T> centre =
        spatial::difference(disc.point(q), spatial::constant_vector<T>(plane.fixed_point()));
    g[0] = spatial::dot(centre, plane.fixed_axis(2)) - R * sqrt(square);
    return true;
  }

  template <class T>
  bool velocity_constraint(T, View<const T> q, View<const T> v, View<T> psi) const {
    using std::sqrt;
    const spatial::Vector3<T> axis = disc.axis(2, q);
    const spatial::Vector3<T> across = spatial::cross(axis, plane.fixed_axis(2));
    const T square = spatial::dot(across, across);
    if (!(square > 0.0)) return false;
    const spatial::Vector3<T> down = spatial::scaled(T(R / sqrt(square)), spatial::cross(axis, across));
    const spatial::Vector3<T> spin = spatial::spin_in_ground(BodyEnd::parameters(q), BodyEnd::parameters(v));
    const spatial::Vector3<T> contact = spatial::sum(disc.point_rate(q, v), spatial::cross(spin, down));
    psi[0] = spatial::dot(contact, plane.fixed_axis(0));
    psi[1] = spatial::dot(contact, plane.fixed_axis(1));
    return true;
  }

  std::vector<std::string> constraint_names() const { return {"contact", "roll_x", "roll_y"}; }

  void draw(double, View<const double> q, Drawing& d) const {
    const Drawing::Point centre = disc.draw(q, 0, d);
    const spatial::Vector3<double> x = disc.axis(0, q), axis = disc.axis(2, q);
    d.disc(centre, {centre.x + R * x[0], centre.y + R * x[1], centre.z + R * x[2]}, spatial::drawn(axis));
    const spatial::Vector3<double> down = spatial::cross(axis, spatial::cross(axis, plane.fixed_axis(2)));
    const double length = std::sqrt(spatial::dot(down, down));
    if (length > 0.0)
      d.trace({centre.x + R * down[0] / length, centre.y + R * down[1] / length, centre.z + R * down[2] / length});
  }
};

extern template struct internal::ElementType<SpatialRollingDisc>;

}  // namespace sunlagrange
