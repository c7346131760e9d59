// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Pin joint of two planar bodies. Coordinates: (x1, y1, phi1, x2, y2, phi2), see PlanarRigidBody.
///
/// g = (r1 + A(phi1) s1) - (r2 + A(phi2) s2) [m], two rows x and y; A turns by phi. lambda [N] are the components of
/// the joint force in ground axes: body 1 receives -lambda, body 2 receives +lambda, each at the pin.
/// When not: for points in natural coordinates: there, two parts are joined by sharing the point, at no cost.
struct Revolute {
  double s1x = 0.0;
  double s1y = 0.0;
  double s2x = 0.0;
  double s2y = 0.0;

  static constexpr int num_positions = 6;
  static constexpr std::array<BlockKind, 2> blocks{BlockKind::planar_body, BlockKind::planar_body};
  static constexpr int num_constraints = 2;

  void describe_parameters(Parameters& p) {
    p.finite("s1x", s1x, "m", "pin on body 1, from its reference point, in its own axes");
    p.finite("s1y", s1y, "m", "pin on body 1, from its reference point, in its own axes");
    p.finite("s2x", s2x, "m", "pin on body 2, the same way");
    p.finite("s2y", s2y, "m", "pin on body 2, the same way");
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const PlanarVector<T> pin1 = turned(s1x, s1y, q[2]), pin2 = turned(s2x, s2y, q[5]);
    g[0] = q[0] - q[3] + pin1.x - pin2.x;
    g[1] = q[1] - q[4] + pin1.y - pin2.y;
  }

  void constraint_rows(double, View<const double> q, View<const double> v, View<double> g, View<double> rate,
                       View<double> gamma, MatrixView<double> G) const {
    const auto [x1, y1] = turned(s1x, s1y, q[2]);  // from the reference points to the pin
    const auto [x2, y2] = turned(s2x, s2y, q[5]);
    g[0] = q[0] - q[3] + x1 - x2;
    g[1] = q[1] - q[4] + y1 - y2;
    rate[0] = v[0] - v[3] - y1 * v[2] + y2 * v[5];
    rate[1] = v[1] - v[4] + x1 * v[2] - x2 * v[5];
    gamma[0] = x1 * v[2] * v[2] - x2 * v[5] * v[5];
    gamma[1] = y1 * v[2] * v[2] - y2 * v[5] * v[5];
    G(0, 0) = G(1, 1) = 1.0;
    G(0, 2) = -y1;
    G(1, 2) = x1;
    G(0, 3) = G(1, 4) = -1.0;
    G(0, 5) = y2;
    G(1, 5) = -x2;
  }

  std::vector<std::string> constraint_names() const { return {"x", "y"}; }

  void draw(double, View<const double> q, Drawing& d) const {
    d.pin(OnBody{s1x, s1y}.draw(q, 0, d));
    OnBody{s2x, s2y}.draw(q, 3, d);
  }
};

/// Pin joint of a planar body and the ground. Coordinates: (x, y, phi), see PlanarRigidBody.
///
/// g = r + A(phi) s - ground [m], two rows x and y. The body receives the force -lambda [N] at the pin.
/// When not: for a pin that moves in a prescribed way: PrescribedPoint.
struct RevoluteToGround {
  double sx = 0.0;
  double sy = 0.0;
  double ground_x = 0.0;
  double ground_y = 0.0;

  static constexpr int num_positions = 3;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_body};
  static constexpr int num_constraints = 2;

  void describe_parameters(Parameters& p) {
    p.finite("sx", sx, "m", "pin on the body, from its reference point, in its own axes");
    p.finite("sy", sy, "m", "pin on the body, from its reference point, in its own axes");
    p.finite("ground_x", ground_x, "m", "pin on the ground");
    p.finite("ground_y", ground_y, "m", "pin on the ground");
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const PlanarVector<T> pin = turned(sx, sy, q[2]);
    g[0] = q[0] + pin.x - ground_x;
    g[1] = q[1] + pin.y - ground_y;
  }

  void constraint_rows(double, View<const double> q, View<const double> v, View<double> g, View<double> rate,
                       View<double> gamma, MatrixView<double> G) const {
    const auto [x, y] = turned(sx, sy, q[2]);  // from the reference point to the pin
    g[0] = q[0] + x - ground_x;
    g[1] = q[1] + y - ground_y;
    rate[0] = v[0] - y * v[2];
    rate[1] = v[1] + x * v[2];
    gamma[0] = x * v[2] * v[2];
    gamma[1] = y * v[2] * v[2];
    G(0, 0) = G(1, 1) = 1.0;
    G(0, 2) = -y;
    G(1, 2) = x;
  }

  std::vector<std::string> constraint_names() const { return {"x", "y"}; }

  void draw(double, View<const double> q, Drawing& d) const {
    OnBody{sx, sy}.draw(q, 0, d);
    d.pin(d.ground({ground_x, ground_y}));
  }
};

extern template struct internal::ElementType<Revolute>;
extern template struct internal::ElementType<RevoluteToGround>;

}  // namespace sunlagrange
