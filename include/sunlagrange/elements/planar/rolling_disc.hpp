// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// A disc that rolls on a straight line of the ground without slipping. Coordinates: (x, y, phi) of its centre.
///
/// The line goes through (ground_x, ground_y) in the direction e = (cos axis, sin axis); the disc is on its left, where
/// the normal n points. Turning counterclockwise it rolls backwards along e:
///
///     g = (n . (r - ground) - R,  e . (r - ground) + R phi - travel)   [m]
///
/// In the plane rolling can be integrated, so both rows are holonomic and do not drift. At the contact the disc
/// receives the force -lambda[0] n (pressure: lambda[0] < 0) and the friction -lambda[1] e [N]. When not: for a disc
/// that may slip or lift off: nothing here limits the friction or the sign of the pressure. When not: for a body whose
/// reference point is not its centre.
struct RollingDisc {
  double R = 1.0;
  double ground_x = 0.0;
  double ground_y = 0.0;
  double axis = 0.0;
  double travel = 0.0;

  static constexpr int num_positions = 3;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_body};
  static constexpr int num_constraints = 2;

  void describe_parameters(Parameters& p) {
    p.positive("R", R, "m", "radius");
    p.finite("ground_x", ground_x, "m", "point of the line");
    p.finite("ground_y", ground_y, "m", "point of the line");
    p.finite("axis", axis, "rad", "direction of the line");
    p.finite("travel", travel, "m", "e . (r - ground) where phi = 0");
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const double c = std::cos(axis);
    const double s = std::sin(axis);
    const T dx = q[0] - ground_x;
    const T dy = q[1] - ground_y;
    g[0] = c * dy - s * dx - R;
    g[1] = c * dx + s * dy + R * q[2] - travel;
  }

  std::vector<std::string> constraint_names() const { return {"contact", "rolling"}; }

  void draw(double, View<const double> q, Drawing& d) const {
    d.on_body({q[0], q[1]}, 0);
    d.disc({q[0], q[1]}, drawn(OnBody{R, 0.0}.position(q.data())));
    d.rail({ground_x, ground_y}, drawn(turned(1.0, 0.0, axis)), {q[0] + R * std::sin(axis), q[1] - R * std::cos(axis)});
  }
};

/// The same with rolling as a row on velocity level: psi = e . r' + R phi' [m/s], beside g = n . (r - ground) - R. The
/// start need not know how phi and the travel belong together. Forces as for RollingDisc.
/// When not: for long runs in which the travel must match the angle: it drifts with the integration error; RollingDisc
/// holds it.
struct RollingDiscByRate {
  double R = 1.0;
  double ground_x = 0.0;
  double ground_y = 0.0;
  double axis = 0.0;

  static constexpr int num_positions = 3;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_body};
  static constexpr int num_constraints = 1;
  static constexpr int num_velocity_constraints = 1;

  void describe_parameters(Parameters& p) {
    p.positive("R", R, "m", "radius");
    p.finite("ground_x", ground_x, "m", "point of the line");
    p.finite("ground_y", ground_y, "m", "point of the line");
    p.finite("axis", axis, "rad", "direction of the line");
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = std::cos(axis) * (q[1] - ground_y) - std::sin(axis) * (q[0] - ground_x) - R;
  }

  template <class T>
  void velocity_constraint(T, View<const T>, View<const T> v, View<T> psi) const {
    psi[0] = std::cos(axis) * v[0] + std::sin(axis) * v[1] + R * v[2];
  }

  std::vector<std::string> constraint_names() const { return {"contact", "rolling"}; }

  void draw(double, View<const double> q, Drawing& d) const {
    d.on_body({q[0], q[1]}, 0);
    d.disc({q[0], q[1]}, drawn(OnBody{R, 0.0}.position(q.data())));
    d.rail({ground_x, ground_y}, drawn(turned(1.0, 0.0, axis)), {q[0] + R * std::sin(axis), q[1] - R * std::cos(axis)});
  }
};

extern template struct internal::ElementType<RollingDisc>;
extern template struct internal::ElementType<RollingDiscByRate>;

}  // namespace sunlagrange
