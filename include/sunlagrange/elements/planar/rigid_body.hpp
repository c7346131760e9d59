// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Inertia of a rigid body in the plane. Coordinates: centre of mass and angle (x, y [m], phi [rad], counterclockwise).
///
/// T = m (x'^2 + y'^2) / 2 + I phi'^2 / 2, so M is constant. A point fixed in the body at (sx, sy) from the centre of
/// mass lies at x + sx cos phi - sy sin phi, y + sx sin phi + sy cos phi.
/// When not: for a reference point away from the centre of mass, where inertia couples and M depends on phi:
/// EccentricBody.
struct PlanarRigidBody {
  double m = 1.0;
  double I = 1.0;

  static constexpr int num_positions = 3;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_body};
  static constexpr bool constant_mass_matrix = true;

  void describe_parameters(Parameters& p) {
    p.not_negative("m", m, "kg", "mass");
    p.not_negative("I", I, "kg m^2", "moment of inertia about the centre of mass");
  }

  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = m;
    M(2, 2) = I;
  }

  /// Returns the kinetic energy [J].
  double energy_of_motion(View<const double>, View<const double> v) const {
    return 0.5 * m * (v[0] * v[0] + v[1] * v[1]) + 0.5 * I * v[2] * v[2];
  }

  void draw(double, View<const double> q, Drawing& d) const { d.mass(d.on_body({q[0], q[1]}, 0)); }
};

extern template struct internal::ElementType<PlanarRigidBody>;

}  // namespace sunlagrange
