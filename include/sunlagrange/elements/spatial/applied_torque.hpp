// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/elements/spatial/applied_force.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// Applied torque on a SpatialRigidBody. Coordinates: the body's.
///
/// `law(t, z, w)` gives the torque [N m] in ground axes from time, the direction `axis` of the body (given in body
/// axes, seen in ground axes: a unit vector) and the angular velocity w [rad/s] in ground axes, for any scalar, as in
/// SpatialAppliedForce. On e it is 2 E(e)^T torque. Its power torque.w is entered in the energy balance. When not:
/// between two bodies, the reaction on the other one is missing: SpatialTorsionSpring, or a second torque.
template <class Law = ConstantVector>
struct SpatialAppliedTorque {
  Law law{};
  spatial::Vector3<double> axis{0.0, 0.0, 1.0};

  static constexpr int num_positions = spatial::body_size;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::spatial_body};

  SpatialAppliedTorque() = default;
  explicit SpatialAppliedTorque(const Law& how_much, const spatial::Vector3<double>& direction = {0.0, 0.0, 1.0})
      : law(how_much), axis(direction) {}

  void describe_parameters(Parameters& p) {
    p.part("law", law, "torque of t, direction, angular velocity, ground axes", "N m");
    p.finite("axis", axis, "1", "direction handed to the law, body axes");
  }

  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    static_assert(is_law_of_state<Law, spatial::Vector3<double>>,
                  "sunlagrange: this law has three arguments: write [](auto t, auto axis, auto spin) { return ...; }");
    const View<const T> e = spatial::part(q, 3, 4);
    const spatial::Vector3<T> spin = spatial::spin_in_ground(e, spatial::part(v, 3, 4));
    const auto on_e = spatial::torque_on_parameters(e, law(t, spatial::rotated(e, axis), spin));
    for (int k = 0; k < 4; ++k) f[3 + k] = on_e[static_cast<std::size_t>(k)];
  }
};

extern template struct internal::ElementType<SpatialAppliedTorque<>>;

}  // namespace sunlagrange
