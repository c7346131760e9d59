// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Gear between two angles measured from the same carrier. Coordinates: two rotations (phi1, phi2), e.g.
/// angle_of(body).
///
/// g = phi2 - ratio phi1 - offset [rad]. With lambda [N m], wheel 2 receives the torque -lambda, wheel 1 receives
/// +ratio lambda. Two outer wheels of radii R1, R2: ratio = -R1 / R2; a belt or an inner wheel: +R1 / R2.
/// When not: for a carrier that turns (planetary gear): there the angles against the carrier count. Teeth, backlash and
/// compliance are not in it.
struct Gear {
  double ratio = -2.0;
  double offset = 0.0;

  static constexpr int num_positions = 2;
  static constexpr std::array<BlockKind, 2> blocks{BlockKind::rotation, BlockKind::rotation};
  static constexpr int num_constraints = 1;

  void describe_parameters(Parameters& p) {
    p.finite("ratio", ratio, "1", "phi2 per phi1");
    p.finite("offset", offset, "rad", "phi2 where phi1 = 0");
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1] - ratio * q[0] - offset;
  }
};

extern template struct internal::ElementType<Gear>;

}  // namespace sunlagrange
