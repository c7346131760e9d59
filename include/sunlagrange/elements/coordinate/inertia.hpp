// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/units.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Constant inertia of one coordinate: T = inertia q'^2 / 2.
///
/// As Flywheel: a wheel on a fixed axle, or additional rotary inertia on angle_of(body). As SlidingMass: a part on a
/// straight guide of which only the travel matters.
/// When not: for inertia that depends on the position (a crank and its rod seen from the crank): model the parts.
template <BlockKind Kind>
struct CoordinateInertia {
  double inertia = 1.0;

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{Kind};
  static constexpr bool constant_mass_matrix = true;

  void describe_parameters(Parameters& p) {
    p.not_negative("inertia", inertia, units_of(Kind).inertia, "force per second derivative");
  }

  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = inertia;
  }
};

/// Inertia of an angle [kg m^2] and of a length [kg].
using Flywheel = CoordinateInertia<BlockKind::rotation>;
using SlidingMass = CoordinateInertia<BlockKind::translation>;

extern template struct internal::ElementType<Flywheel>;
extern template struct internal::ElementType<SlidingMass>;

}  // namespace sunlagrange
