// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Template of an element: a linear spring along one coordinate, V = stiffness (q - rest)^2 / 2.
///
/// Because it gives an energy (rung 0b), the force -dV/dq, its Jacobian and the energy balance follow by themselves.
/// When it is the wrong choice: for a spring between two points in the plane, whose length is not a coordinate.
struct RecipeElement {
  double stiffness = 1.0;
  double rest = 0.0;

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::translation};

  void describe_parameters(Parameters& p) {
    p.finite("stiffness", stiffness, "N/m", "force per stretch");
    p.finite("rest", rest, "m", "coordinate without force");
  }

  template <class T>
  T potential_energy(T, View<const T> q) const {
    const T stretch = q[0] - rest;
    return 0.5 * stiffness * stretch * stretch;
  }
};

extern template struct internal::ElementType<RecipeElement>;

}  // namespace sunlagrange
