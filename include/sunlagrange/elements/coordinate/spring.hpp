// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/units.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Linear spring between two coordinates of one kind. Coordinates: (q1, q2).
///
/// V = k (q2 - q1 - rest)^2 / 2; q2 receives -k (q2 - q1 - rest), q1 the opposite. No special configuration: zero is as
/// good as any other difference. Angles are not taken modulo a turn: a spring wound twice remembers it.
/// When not: for a spring between points of the plane: LinearSpring.
template <BlockKind Kind>
struct CoordinateSpring {
  double k = 1.0;
  double rest = 0.0;

  static constexpr int num_positions = 2;
  static constexpr std::array<BlockKind, 2> blocks{Kind, Kind};

  void describe_parameters(Parameters& p) {
    p.finite("k", k, units_of(Kind).stiffness, "stiffness");
    p.finite("rest", rest, units_of(Kind).displacement, "q2 - q1 without force");
  }

  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[0] = k * (q[1] - q[0] - rest);
    f[1] = -f[0];
  }

  double energy(double, View<const double> q, View<const double>) const {
    const double elongation = q[1] - q[0] - rest;
    return 0.5 * k * elongation * elongation;
  }
};

/// Linear spring between one coordinate and the ground: V = k (q - rest)^2 / 2, force -k (q - rest). Otherwise as
/// CoordinateSpring.
template <BlockKind Kind>
struct CoordinateSpringToGround {
  double k = 1.0;
  double rest = 0.0;

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{Kind};

  void describe_parameters(Parameters& p) {
    p.finite("k", k, units_of(Kind).stiffness, "stiffness");
    p.finite("rest", rest, units_of(Kind).displacement, "q without force");
  }

  template <class T>
  void applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    f[0] = -k * (q[0] - rest);
  }

  double energy(double, View<const double> q, View<const double>) const {
    return 0.5 * k * (q[0] - rest) * (q[0] - rest);
  }
};

/// Springs of angles (k in N m/rad) and of lengths (k in N/m).
using TorsionSpring = CoordinateSpring<BlockKind::rotation>;
using TorsionSpringToGround = CoordinateSpringToGround<BlockKind::rotation>;
using AxialSpring = CoordinateSpring<BlockKind::translation>;
using AxialSpringToGround = CoordinateSpringToGround<BlockKind::translation>;

extern template struct internal::ElementType<TorsionSpring>;
extern template struct internal::ElementType<TorsionSpringToGround>;
extern template struct internal::ElementType<AxialSpring>;
extern template struct internal::ElementType<AxialSpringToGround>;

}  // namespace sunlagrange
