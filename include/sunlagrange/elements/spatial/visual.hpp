// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/elements/shapes.hpp>
#include <sunlagrange/elements/spatial/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// Shape of a body in space for the picture, as the element `visual` of robot descriptions. Coordinates: those of a
/// SpatialRigidBody (x, y, z [m], e0, e1, e2, e3).
///
/// It has neither mass nor force: no equation depends on it. A body may have several. The picture of a run shows them
/// instead of links between the joints of the body. When not: for a homogeneous solid, which draws itself:
/// SpatialSolid.
struct SpatialVisual {
  Solid shape{};
  BodyEnd at{};

  static constexpr int num_positions = BodyEnd::num_positions;
  static constexpr std::array<BlockKind, 1> blocks = BodyEnd::blocks;

  void describe_parameters(Parameters& p) {
    p.part("shape", shape, "what is drawn");
    p.part("at", at, "its centre, and the directions of its z and x axis, on the body");
  }

  void draw(double, View<const double> q, Drawing& d) const { shape.draw_in_space(q, at, d); }
};

extern template struct internal::ElementType<SpatialVisual>;

}  // namespace sunlagrange
