#pragma once

#include <array>
#include <cmath>

#include "mechanisms/mechanism.hpp"

/// The joint of [003]: a rod on a hinge whose moment of inertia changes, d(J w)/dt + m(phi, w, t) = M, w = phi'.
///
///          O------[ ]---------   J = J0 + m r^2: a sleeve of mass m moves along the rod as r(t) = r0 + r1 sin(w_r t)
///         /phi     r(t)          plane of motion level; resistance m(phi, w, t) = beta J w; torque M at the hinge
///
/// Data of the two mechanisms that use the rod. q = (phi, r) [rad, m].
namespace sunlagrange::mechanisms {

struct SleeveMotion {
  double r0 = 0.8, r1 = 0.3;  ///< [m]
  double rate = 1.7;          ///< w_r [rad/s]

  template <class T>
  T operator()(const T& t) const {
    using std::sin;
    return r0 + r1 * sin(rate * t);
  }
  double velocity(double t) const { return r1 * rate * std::cos(rate * t); }
  double acceleration(double t) const { return -r1 * rate * rate * std::sin(rate * t); }
};

/// Kinetic energy and resistance of rod and sleeve. Coordinates: (phi, r).
struct VariableRod {
  double J0 = 0.5;    ///< rod [kg m^2]
  double m = 1.2;     ///< sleeve [kg]
  double beta = 0.6;  ///< [1/s]

  static constexpr int num_positions = 2;
  static constexpr std::array<BlockKind, 2> blocks{BlockKind::rotation, BlockKind::translation};

  template <class T>
  T kinetic_energy(T, View<const T> q, View<const T> v) const {
    return 0.5 * inertia(q[1]) * v[0] * v[0] + 0.5 * m * v[1] * v[1];
  }
  template <class T>
  T dissipation(T, View<const T> q, View<const T> v) const {
    return 0.5 * beta * inertia(q[1]) * v[0] * v[0];
  }
  void draw(double, View<const double> q, Drawing& d) const {
    const Drawing::Point along{std::cos(q[0]), std::sin(q[0])};
    const Drawing::Point sleeve{q[1] * along.x, q[1] * along.y};
    d.rail(d.ground(d.on_body({}, 0)), along, sleeve);
    d.on_body({1.2 * along.x, 1.2 * along.y}, 0);
    d.block(sleeve, along);
  }

  template <class T>
  T inertia(const T& r) const {
    return J0 + m * r * r;
  }
};

}  // namespace sunlagrange::mechanisms
