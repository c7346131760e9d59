// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Hydraulic cylinder between two points of the plane. Coordinates: the volume V that has flowed in [m^3], the points
/// (xA, yA), (xB, yB) [m].
///
///     g = V - area (|A - B| - length0)   [m^3],     pressure p = lambda [Pa]
///
/// The fluid has to overcome the pressure (force -p on the volume), the points are pushed apart with p area. Power
/// passes from the fluid to the points. Massless; friction and leakage are elements of their own.
/// When not: where the points can meet: the direction of the force is lost there, and the element declines the point.
/// Along a coordinate axis: Piston.
struct HydraulicCylinder {
  double area = 1.0;
  double length0 = 1.0;

  static constexpr int num_positions = 5;
  static constexpr int num_constraints = 1;
  static constexpr std::array<BlockKind, 3> blocks{BlockKind::hydraulic, BlockKind::planar_point,
                                                   BlockKind::planar_point};

  void describe_parameters(Parameters& p) {
    p.positive("area", area, "m^2", "of the piston");
    p.finite("length0", length0, "m", "distance of the points at V = 0");
  }

  template <class T>
  bool constraint(T, View<const T> q, View<T> g) const {
    using std::sqrt;
    const T dx = q[1] - q[3];
    const T dy = q[2] - q[4];
    if (!(dx * dx + dy * dy > 0.0)) return false;
    g[0] = q[0] - area * (sqrt(dx * dx + dy * dy) - length0);
    return true;
  }
};

/// The same between a point and a fixed point of the ground. Coordinates: V [m^3], (x, y) [m].
///
///     g = V - area (|(x, y) - ground| - length0)   [m^3],     pressure p = lambda [Pa]
///
/// When not: where the point can meet the fixed one.
struct HydraulicCylinderToGround {
  double area = 1.0;
  double length0 = 1.0;
  double ground_x = 0.0;
  double ground_y = 0.0;

  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 1;
  static constexpr std::array<BlockKind, 2> blocks{BlockKind::hydraulic, BlockKind::planar_point};

  void describe_parameters(Parameters& p) {
    p.positive("area", area, "m^2", "of the piston");
    p.finite("length0", length0, "m", "distance at V = 0");
    p.finite("ground_x", ground_x, "m", "of the fixed point");
    p.finite("ground_y", ground_y, "m", "of the fixed point");
  }

  template <class T>
  bool constraint(T, View<const T> q, View<T> g) const {
    using std::sqrt;
    const T dx = q[1] - ground_x;
    const T dy = q[2] - ground_y;
    if (!(dx * dx + dy * dy > 0.0)) return false;
    g[0] = q[0] - area * (sqrt(dx * dx + dy * dy) - length0);
    return true;
  }
};

extern template struct internal::ElementType<HydraulicCylinder>;
extern template struct internal::ElementType<HydraulicCylinderToGround>;

}  // namespace sunlagrange
