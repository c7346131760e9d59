// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Weight of a mass in a uniform field. Coordinates: position (x, y, z) [m] of a point, or of a body's centre of mass
/// (centre_of(body)).
///
/// Potential energy V = -m (gx x + gy y + gz z), force m (gx, gy, gz). The origin is the level of zero energy.
/// When not: for motions over which the field changes in size or direction.
struct SpatialGravity {
  double m = 1.0;
  double gx = 0.0;
  double gy = 0.0;
  double gz = -9.81;

  static constexpr int num_positions = 3;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::spatial_point};

  void describe_parameters(Parameters& p) {
    p.finite("m", m, "kg", "mass");
    p.finite("gx", gx, "m/s^2", "acceleration of gravity, ground axes");
    p.finite("gy", gy, "m/s^2", "acceleration of gravity, ground axes");
    p.finite("gz", gz, "m/s^2", "acceleration of gravity, ground axes");
  }

  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[0] = m * gx;
    f[1] = m * gy;
    f[2] = m * gz;
  }

  double energy(double, View<const double> q, View<const double>) const {
    return -m * (gx * q[0] + gy * q[1] + gz * q[2]);
  }

  void draw(double, View<const double>, Drawing& d) const { d.gravity({gx, gy, gz}); }
};

/// Acceleration of gravity in space, as a part of a body: see BodyWithWeight.
struct SpatialField {
  double gx = 0.0;
  double gy = 0.0;
  double gz = 0.0;

  void describe_parameters(Parameters& p) {
    p.finite("gx", gx, "m/s^2", "acceleration of gravity, ground axes");
    p.finite("gy", gy, "m/s^2", "acceleration of gravity, ground axes");
    p.finite("gz", gz, "m/s^2", "acceleration of gravity, ground axes");
  }

  bool acts() const { return gx != 0.0 || gy != 0.0 || gz != 0.0; }     ///< True if it is not zero.
  SpatialGravity weight_of(double m) const { return {m, gx, gy, gz}; }  ///< Returns the weight of a mass [kg].
};

extern template struct internal::ElementType<SpatialGravity>;

}  // namespace sunlagrange
