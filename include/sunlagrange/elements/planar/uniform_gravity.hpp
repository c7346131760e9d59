// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Weight of a mass in a uniform field. Coordinates: the position (x, y) [m] of a point, or of a body's centre of mass
/// (centre_of(body)).
///
/// Potential energy V = -m (gx x + gy y), force m (gx, gy). The origin is the level of zero energy.
/// A uniform rod in natural coordinates takes this element with m/2 on each end.
/// When not: for motions over which the field changes in size or direction; not for a body whose reference point is not
/// its centre of mass: BodyGravity.
struct UniformGravity {
  double m = 1.0;
  double gx = 0.0;
  double gy = -9.81;

  static constexpr int num_positions = 2;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_point};

  void describe_parameters(Parameters& p) {
    p.finite("m", m, "kg", "mass");
    p.finite("gx", gx, "m/s^2", "acceleration of gravity along x");
    p.finite("gy", gy, "m/s^2", "acceleration of gravity along y");
  }

  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[0] = m * gx;
    f[1] = m * gy;
  }

  /// Potential energy; given beside the force because deriving the one from the other costs ten times as much.
  double energy(double, View<const double> q, View<const double>) const { return -m * (gx * q[0] + gy * q[1]); }

  void draw(double, View<const double>, Drawing& d) const { d.gravity({gx, gy}); }
};

/// Acceleration of gravity in the plane, as a part of a body: see BodyWithWeight.
struct PlanarField {
  double gx = 0.0;
  double gy = 0.0;

  void describe_parameters(Parameters& p) {
    p.finite("gx", gx, "m/s^2", "acceleration of gravity along x");
    p.finite("gy", gy, "m/s^2", "acceleration of gravity along y");
  }

  bool acts() const { return gx != 0.0 || gy != 0.0; }              ///< True if it is not zero.
  UniformGravity weight_of(double m) const { return {m, gx, gy}; }  ///< Returns the weight of a mass [kg].
};

/// Weight of a planar body whose centre of mass is not its reference point. Coordinates: (x, y, phi).
///
/// V = -m (gx X + gy Y) with (X, Y) the centre of mass; force m (gx, gy) there. The origin is the level of zero energy.
/// When not: for cx = cy = 0: UniformGravity on centre_of(body) is the same and constant.
struct BodyGravity {
  double m = 1.0;
  double cx = 0.5;
  double cy = 0.0;
  double gx = 0.0;
  double gy = -9.81;

  static constexpr int num_positions = 3;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_body};

  void describe_parameters(Parameters& p) {
    p.finite("m", m, "kg", "mass");
    p.finite("cx", cx, "m", "centre of mass from the reference point, in the axes of the body");
    p.finite("cy", cy, "m", "centre of mass from the reference point, in the axes of the body");
    p.finite("gx", gx, "m/s^2", "acceleration of gravity along x");
    p.finite("gy", gy, "m/s^2", "acceleration of gravity along y");
  }

  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    OnBody{cx, cy}.apply(PlanarVector<T>{T(m * gx), T(m * gy)}, q.data(), f.data());
  }

  double energy(double, View<const double> q, View<const double>) const {
    const PlanarVector<double> centre = OnBody{cx, cy}.position(q.data());
    return -m * (gx * centre.x + gy * centre.y);
  }

  void draw(double, View<const double>, Drawing& d) const { d.gravity({gx, gy}); }
};

extern template struct internal::ElementType<UniformGravity>;
extern template struct internal::ElementType<BodyGravity>;

}  // namespace sunlagrange
