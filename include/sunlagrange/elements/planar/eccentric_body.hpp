// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Inertia of a rigid body in the plane whose reference point is not its centre of mass. Coordinates: reference point
/// and angle (x, y [m], phi [rad]).
///
/// With c = A(phi) (cx, cy) from the reference point to the centre of mass and the velocity of the latter
/// u = (x' - c_y phi', y' + c_x phi'): T = m u.u / 2 + I phi'^2 / 2. So M depends on phi, and the centrifugal force
/// m phi'^2 c acts on (x, y).
/// When not: for cx = cy = 0, nor if the reference point is free to choose: PlanarRigidBody has a constant M and no
/// centrifugal force. Choose this one if a pin at the reference point shall be a shared point or a fixed coordinate.
struct EccentricBody {
  double m = 1.0;
  double I = 1.0;
  double cx = 0.5;
  double cy = 0.0;

  static constexpr int num_positions = 3;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_body};

  void describe_parameters(Parameters& p) {
    p.not_negative("m", m, "kg", "mass");
    p.not_negative("I", I, "kg m^2", "moment of inertia about the centre of mass");
    p.finite("cx", cx, "m", "centre of mass from the reference point, in the axes of the body");
    p.finite("cy", cy, "m", "centre of mass from the reference point, in the axes of the body");
  }

  template <class T>
  void mass_matrix(T, View<const T> q, MatrixView<T> M) const {
    const PlanarVector<T> c = turned(cx, cy, q[2]);
    M(0, 0) = M(1, 1) = m;
    M(0, 2) = M(2, 0) = -m * c.y;
    M(1, 2) = M(2, 1) = m * c.x;
    M(2, 2) = I + m * (cx * cx + cy * cy);
  }

  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    const PlanarVector<T> c = turned(cx, cy, q[2]);
    f[0] = m * v[2] * v[2] * c.x;
    f[1] = m * v[2] * v[2] * c.y;
  }

  double energy(double, View<const double> q, View<const double> v) const {
    const PlanarVector<double> u = OnBody{cx, cy}.velocity(q.data(), v.data());
    return 0.5 * m * dot(u, u) + 0.5 * I * v[2] * v[2];
  }

  void draw(double, View<const double> q, Drawing& d) const {
    d.on_body({q[0], q[1]}, 0);
    d.mass(OnBody{cx, cy}.draw(q, 0, d));
  }
};

extern template struct internal::ElementType<EccentricBody>;

}  // namespace sunlagrange
