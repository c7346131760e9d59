// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Sliding joint of two planar bodies. Coordinates: (x1, y1, phi1, x2, y2, phi2).
///
/// Body 1 carries a straight guide through s1 at `axis` from its x axis; the point s2 of body 2 stays on it, and body 2
/// does not turn against body 1. With n the normal of the guide, turned by +90 degrees from it:
///
///     g = (phi2 - phi1 - angle,  n . (r2 + A(phi2) s2 - r1 - A(phi1) s1))   [rad, m]
///
/// Body 2 receives the torque -lambda[0] [N m] and at s2 the force -lambda[1] n [N], body 1 the opposite; the torque
/// depends on where s2 was chosen.
/// When not: for a block that may turn on the guide: that is PinOnCurve with a StraightLine. Angles are not taken
/// modulo a turn: start with phi2 - phi1 = angle, not a turn away.
struct Prismatic {
  double s1x = 0.0;
  double s1y = 0.0;
  double axis = 0.0;
  double s2x = 0.0;
  double s2y = 0.0;
  double angle = 0.0;

  static constexpr int num_positions = 6;
  static constexpr std::array<BlockKind, 2> blocks{BlockKind::planar_body, BlockKind::planar_body};
  static constexpr int num_constraints = 2;

  void describe_parameters(Parameters& p) {
    p.finite("s1x", s1x, "m", "point of the guide on body 1, in its axes");
    p.finite("s1y", s1y, "m", "point of the guide on body 1, in its axes");
    p.finite("axis", axis, "rad", "direction of the guide from the x axis of body 1");
    p.finite("s2x", s2x, "m", "point of body 2 on the guide, in its axes");
    p.finite("s2y", s2y, "m", "point of body 2 on the guide, in its axes");
    p.finite("angle", angle, "rad", "phi2 - phi1");
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const PlanarVector<T> normal = turned(0.0, 1.0, q[2] + axis);
    const PlanarVector<T> d = OnBody{s2x, s2y}.position(q.data() + 3) - OnBody{s1x, s1y}.position(q.data());
    g[0] = q[5] - q[2] - angle;
    g[1] = dot(normal, d);
  }

  std::vector<std::string> constraint_names() const { return {"angle", "across"}; }

  void draw(double, View<const double> q, Drawing& d) const {
    const Drawing::Point slider = OnBody{s2x, s2y}.draw(q, 3, d);
    const Drawing::Point along = drawn(turned(1.0, 0.0, q[2] + axis));
    d.rail(OnBody{s1x, s1y}.draw(q, 0, d), along, slider);
    d.block(slider, along);
  }
};

/// Sliding joint of a planar body on the ground. Coordinates: (x, y, phi).
///
/// The point s of the body stays on the line through (ground_x, ground_y) with direction `axis`, and the body keeps its
/// angle. With n the normal of the line, turned by +90 degrees: g = (phi - angle, n . (r + A(phi) s - ground)) [rad,
/// m]. The body receives the torque -lambda[0] [N m] and at s the force -lambda[1] n [N]. When not: for a part of which
/// only the travel matters: one translation coordinate and a SlidingMass need no rows at all.
struct PrismaticToGround {
  double sx = 0.0;
  double sy = 0.0;
  double ground_x = 0.0;
  double ground_y = 0.0;
  double axis = 0.0;
  double angle = 0.0;

  static constexpr int num_positions = 3;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_body};
  static constexpr int num_constraints = 2;

  void describe_parameters(Parameters& p) {
    p.finite("sx", sx, "m", "point of the body on the line, in its axes");
    p.finite("sy", sy, "m", "point of the body on the line, in its axes");
    p.finite("ground_x", ground_x, "m", "point of the line");
    p.finite("ground_y", ground_y, "m", "point of the line");
    p.finite("axis", axis, "rad", "direction of the line from the x axis");
    p.finite("angle", angle, "rad", "angle of the body");
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const PlanarVector<double> normal = turned(0.0, 1.0, axis);
    const PlanarVector<T> p = OnBody{sx, sy}.position(q.data());
    g[0] = q[2] - angle;
    g[1] = normal.x * (p.x - ground_x) + normal.y * (p.y - ground_y);
  }

  std::vector<std::string> constraint_names() const { return {"angle", "across"}; }

  void draw(double, View<const double> q, Drawing& d) const {
    const Drawing::Point slider = OnBody{sx, sy}.draw(q, 0, d);
    const Drawing::Point along = drawn(turned(1.0, 0.0, axis));
    d.rail(d.ground({ground_x, ground_y}), along, slider);
    d.block(slider, along);
  }
};

extern template struct internal::ElementType<Prismatic>;
extern template struct internal::ElementType<PrismaticToGround>;

}  // namespace sunlagrange
