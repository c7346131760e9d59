// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Motion on a circle with constant speed.
struct CircularPath {
  static constexpr const char* type_name = "CircularPath";

  double x = 0.0;
  double y = 0.0;
  double R = 1.0;
  double omega = 1.0;
  double phase = 0.0;

  void describe_parameters(Parameters& p) {
    p.finite("x", x, "m", "centre");
    p.finite("y", y, "m", "centre");
    p.finite("R", R, "m", "radius");
    p.finite("omega", omega, "rad/s", "speed");
    p.finite("phase", phase, "rad", "angle at t = 0");
  }

  /// Place at time t, ground axes [m]; counterclockwise for omega > 0.
  template <class T>
  PlanarVector<T> operator()(const T& t) const {
    using std::cos;
    using std::sin;
    return {x + R * cos(omega * t + phase), y + R * sin(omega * t + phase)};
  }
};

/// A point, or a point of a body, that follows a given path in time: a moving pivot, the tip of a programmed arm.
///
/// g = p - law(t) [m], two rows x and y (rheonomic). The drive exerts the force -lambda [N] at the point and feeds in
/// the power -lambda . law'(t). `law` returns a PlanarVector for every scalar type.
/// When not: for one component only: PrescribedCoordinate of coordinate_of(point, 0). When not: for a path without
/// timing: PinOnCurve.
template <class Law = CircularPath, class End = AtPoint>
struct PrescribedPoint {
  Law law{};
  End end{};

  static constexpr int num_positions = End::size;
  static constexpr auto blocks = blocks_of<End>();
  static constexpr int num_constraints = 2;

  void describe_parameters(Parameters& p) {
    p.part("law", law, "path: (x, y) as a function of t", "m");
    p.part("end", end, "the point");
  }

  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    static_assert(is_law_of_time<Law>,
                  "sunlagrange: this law is a function of time alone: write [](auto t) { return ...; }");
    const PlanarVector<T> p = end.position(q.data());
    const PlanarVector<T> target = law(t);
    g[0] = p.x - target.x;
    g[1] = p.y - target.y;
  }

  std::vector<std::string> constraint_names() const { return {"x", "y"}; }

  void draw(double, View<const double> q, Drawing& d) const { d.trace(end.draw(q, 0, d)); }
};

template <class Law, class End>
PrescribedPoint(Law, End) -> PrescribedPoint<Law, End>;

extern template struct internal::ElementType<PrescribedPoint<>>;

}  // namespace sunlagrange
