// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <type_traits>

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Curve y = bend x^2 / 2, with curvature `bend` at its vertex.
struct Parabola {
  static constexpr const char* type_name = "Parabola";

  double bend = 1.0;

  void describe_parameters(Parameters& p) { p.finite("bend", bend, "1/m", "curvature at the vertex"); }

  /// Height y of the curve at x [m].
  template <class T>
  T operator()(const T& x) const {
    return 0.5 * bend * x * x;
  }
};

/// Curve x^2 + y^2 = R^2, given implicitly.
struct Circle {
  static constexpr const char* type_name = "Circle";

  double R = 1.0;

  void describe_parameters(Parameters& p) { p.positive("R", R, "m", "radius"); }

  /// (x^2 + y^2 - R^2) / 2 [m^2], zero on the curve.
  template <class T>
  T operator()(const T& x, const T& y) const {
    return 0.5 * (x * x + y * y - R * R);
  }
};

/// Straight line through the origin; c(x, y) is the distance from it, positive on its left.
struct StraightLine {
  static constexpr const char* type_name = "StraightLine";

  double angle = 0.0;

  void describe_parameters(Parameters& p) { p.finite("angle", angle, "rad", "direction from the x axis"); }

  /// Distance of (x, y) from the line [m], positive on its left.
  template <class T>
  T operator()(const T& x, const T& y) const {
    return std::cos(angle) * y - std::sin(angle) * x;
  }
};

/// A pin that slides without friction on a curve. `pin` is a point (AtPoint) or a point of a body (OnBody); the curve
/// is drawn on the ground (OnGround) or on a second body (OnBody), with its origin at `carrier` and along its axes:
/// slot, cam, guide. Blocks: that of the pin, then that of the carrier if it is a body.
///
/// The curve is any callable for every scalar type: c(x, y), which is zero on it, or y = c(x), and then
/// g = y - c(x) [m]. For c(x, y) g = c, in the units of c. The pin receives the force -lambda grad c [N], across the
/// curve; the carrier receives the opposite. From your own: PinOnCurve{[](auto x) { return sin(x); }, AtPoint{},
/// OnGround{}}.
/// When not: for a curve whose gradient vanishes on it (a crossing point, or c given as a square): there the row is
/// lost. y = c(x) is wrong for curves that become vertical. Corners of the curve are impacts, which this element does
/// not know.
template <class Curve = Parabola, class Pin = AtPoint, class Carrier = OnGround>
struct PinOnCurve {
  Curve curve{};
  Pin pin{};
  Carrier carrier{};

  static constexpr int num_positions = Pin::size + Carrier::size;
  static constexpr auto blocks = blocks_of<Pin, Carrier>();
  static constexpr int num_constraints = 1;

  void describe_parameters(Parameters& p) {
    p.part("curve", curve, "y = c(x) or c(x, y) = 0");
    p.part("pin", pin, "what slides");
    p.part("carrier", carrier, "what the curve is drawn on, and its origin");
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const PlanarVector<T> p = carrier.local(q.data() + Pin::size, pin.position(q.data()));
    if constexpr (std::is_invocable_v<const Curve&, T, T>) {
      g[0] = curve(p.x, p.y);
    } else {
      static_assert(std::is_invocable_v<const Curve&, T>,
                    "sunlagrange: a curve must be callable with every scalar type, as c(x, y) or as c(x)");
      g[0] = p.y - curve(p.x);
    }
  }

  void draw(double, View<const double> q, Drawing& d) const {
    d.pin(pin.draw(q, 0, d));
    d.trace(drawn(pin.position(q.data())));  // on the ground the path of the pin is the curve
    carrier.draw(q, Pin::size, d);
  }
};

template <class Curve, class Pin, class Carrier>
PinOnCurve(Curve, Pin, Carrier) -> PinOnCurve<Curve, Pin, Carrier>;

extern template struct internal::ElementType<PinOnCurve<>>;

}  // namespace sunlagrange
