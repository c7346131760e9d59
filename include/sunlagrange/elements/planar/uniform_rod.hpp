// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Inertia of a straight uniform rod in natural coordinates. Coordinates: its two end points (xA, yA, xB, yB) [m].
///
/// With a velocity that is linear along the rod, T = m (vA.vA + vA.vB + vB.vB) / 6, so M is constant and there is no
/// gyroscopic force: [1/3 1/6; 1/6 1/3] m for x and for y. The rod is kept straight and stiff by a Distance between the
/// same points; its weight is UniformGravity of m/2 on each end.
/// When not: for a rod whose centre of mass or moment of inertia differs from the uniform ones: use PlanarRigidBody.
struct UniformRod {
  double m = 1.0;

  static constexpr int num_positions = 4;
  static constexpr std::array<BlockKind, 2> blocks{BlockKind::planar_point, BlockKind::planar_point};
  static constexpr bool constant_mass_matrix = true;

  void describe_parameters(Parameters& p) { p.not_negative("m", m, "kg", "mass"); }

  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    for (int i = 0; i < 4; ++i) M(i, i) = m / 3.0;
    M(0, 2) = M(2, 0) = M(1, 3) = M(3, 1) = m / 6.0;
  }

  void draw(double, View<const double> q, Drawing& d) const { d.rod({q[0], q[1]}, {q[2], q[3]}); }
};

/// Inertia of a uniform rod with one end at rest on the ground. Coordinates: the moving end (x, y) [m].
///
/// T = m (x'^2 + y'^2) / 6. Goes with a DistanceToGround to the pivot; its weight is UniformGravity of m/2 on the
/// moving end (the other half rests on the pivot). When not: for a pivot that moves: use UniformRod, with the pivot as
/// a point.
struct UniformRodToGround {
  double m = 1.0;

  static constexpr int num_positions = 2;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::planar_point};
  static constexpr bool constant_mass_matrix = true;

  void describe_parameters(Parameters& p) { p.not_negative("m", m, "kg", "mass"); }

  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = m / 3.0;
  }
};

extern template struct internal::ElementType<UniformRod>;
extern template struct internal::ElementType<UniformRodToGround>;

}  // namespace sunlagrange
