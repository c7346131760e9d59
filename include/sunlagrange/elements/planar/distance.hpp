// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Constant distance of two points, e.g. a massless rod. Coordinates: (xA, yA, xB, yB) [m].
///
/// g = (d.d - L^2) / 2 with d = A - B [m^2]: no square root, so g is a polynomial. The force on A is -lambda d, the
/// force on B is +lambda d; lambda > 0 is tension, of lambda L newton.
/// When not: for L = 0: the gradient vanishes there and the row is lost; let the two parts share one point instead.
struct Distance {
  double L = 1.0;

  static constexpr int num_positions = 4;
  static constexpr std::array<BlockKind, 2> blocks{BlockKind::planar_point, BlockKind::planar_point};
  static constexpr int num_constraints = 1;

  void describe_parameters(Parameters& p) {
    p.positive("L", L, "m", "length", "let the two parts share one point instead");
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const T dx = q[0] - q[2];
    const T dy = q[1] - q[3];
    g[0] = 0.5 * (dx * dx + dy * dy - L * L);
  }

  void constraint_rows(double, View<const double> q, View<const double> v, View<double> g, View<double> rate,
                       View<double> gamma, MatrixView<double> G) const {
    const double dx = q[0] - q[2];
    const double dy = q[1] - q[3];
    const double ux = v[0] - v[2];
    const double uy = v[1] - v[3];
    g[0] = 0.5 * (dx * dx + dy * dy - L * L);
    rate[0] = dx * ux + dy * uy;
    gamma[0] = -(ux * ux + uy * uy);
    G(0, 0) = dx;
    G(0, 1) = dy;
    G(0, 2) = -dx;
    G(0, 3) = -dy;
  }

  void draw(double, View<const double> q, Drawing& d) const { d.rod({q[0], q[1]}, {q[2], q[3]}); }
};

/// Constant distance of a point from a fixed point of the ground. Coordinates: (x, y) [m].
///
/// g = (d.d - L^2) / 2 with d = (x - ground_x, y - ground_y) [m^2]. The force on the point is -lambda d; lambda > 0 is
/// tension, of lambda L newton. When not: for L = 0, see Distance: leave the point out of the coordinates instead.
struct DistanceToGround {
  double ground_x = 0.0;
  double ground_y = 0.0;
  double L = 1.0;

  static constexpr int num_positions = 2;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_point};
  static constexpr int num_constraints = 1;

  void describe_parameters(Parameters& p) {
    p.positive("L", L, "m", "length", "leave the point out of the coordinates instead");
    p.finite("ground_x", ground_x, "m", "of the fixed point");
    p.finite("ground_y", ground_y, "m", "of the fixed point");
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const T dx = q[0] - ground_x;
    const T dy = q[1] - ground_y;
    g[0] = 0.5 * (dx * dx + dy * dy - L * L);
  }

  void constraint_rows(double, View<const double> q, View<const double> v, View<double> g, View<double> rate,
                       View<double> gamma, MatrixView<double> G) const {
    const double dx = q[0] - ground_x;
    const double dy = q[1] - ground_y;
    g[0] = 0.5 * (dx * dx + dy * dy - L * L);
    rate[0] = dx * v[0] + dy * v[1];
    gamma[0] = -(v[0] * v[0] + v[1] * v[1]);
    G(0, 0) = dx;
    G(0, 1) = dy;
  }

  void draw(double, View<const double> q, Drawing& d) const { d.rod(d.ground({ground_x, ground_y}), {q[0], q[1]}); }
};

extern template struct internal::ElementType<Distance>;
extern template struct internal::ElementType<DistanceToGround>;

}  // namespace sunlagrange
