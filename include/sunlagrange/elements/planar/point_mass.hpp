// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Inertia of a particle in the plane. Coordinates: its position (x, y) [m].
///
/// Kinetic energy T = m (x'^2 + y'^2) / 2. Weight is a separate element, UniformGravity.
/// When not: for a body that turns: its rotary inertia is missing, use PlanarRigidBody.
struct PointMass {
  double m = 1.0;

  static constexpr int num_positions = 2;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_point};
  static constexpr bool constant_mass_matrix = true;

  void describe_parameters(Parameters& p) { p.not_negative("m", m, "kg", "mass"); }

  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = m;
  }

  /// Returns the kinetic energy [J].
  double energy_of_motion(View<const double>, View<const double> v) const {
    return 0.5 * m * (v[0] * v[0] + v[1] * v[1]);
  }

  void draw(double, View<const double> q, Drawing& d) const { d.mass({q[0], q[1]}); }
};

extern template struct internal::ElementType<PointMass>;

}  // namespace sunlagrange
