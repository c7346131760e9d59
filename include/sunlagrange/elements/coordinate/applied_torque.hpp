// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// The same torque (or force along a coordinate) at all times.
struct ConstantEffort {
  static constexpr const char* type_name = "ConstantEffort";

  double value = 1.0;

  void describe_parameters(Parameters& p) { p.finite("value", value, "", "torque [N m] or force [N]"); }

  /// The value, at every time, angle and rate.
  template <class T>
  T operator()(const T&, const T&, const T&) const {
    return T(value);
  }
};

/// A torque on one angle as a function of time and state. Coordinate: a rotation, e.g. angle_of(body).
///
/// law(t, angle, rate) -> torque [N m], counterclockwise, for every scalar type: [](auto t, auto, auto w) { return
/// sin(t) - 0.1 * w; }. Its power torque x rate counts as work from outside.
/// When not: between two bodies, where the other one feels the reaction: InternalTorque.
template <class Law = ConstantEffort>
struct AppliedTorque {
  Law law{};

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::rotation};

  void describe_parameters(Parameters& p) { p.part("law", law, "torque of t, angle, rate", "N m"); }

  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    static_assert(
        is_law_of_state<Law>,
        "sunlagrange: this law has three arguments: write [](auto t, auto position, auto rate) { return ...; }");
    f[0] = law(t, q[0], v[0]);
  }
};

template <class Law>
AppliedTorque(Law) -> AppliedTorque<Law>;

/// A motor between two bodies. Coordinates: two rotations (angle 1, angle 2).
///
/// law(t, angle 2 - angle 1, its rate) -> torque [N m] on body 2; body 1 receives the opposite.
/// When not: for a motor whose relative motion is prescribed: PrescribedDifference.
template <class Law = ConstantEffort>
struct InternalTorque {
  Law law{};

  static constexpr int num_positions = 2;
  static constexpr std::array<BlockKind, 2> blocks{BlockKind::rotation, BlockKind::rotation};

  void describe_parameters(Parameters& p) { p.part("law", law, "torque of t, difference of angles, its rate", "N m"); }

  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    static_assert(
        is_law_of_state<Law>,
        "sunlagrange: this law has three arguments: write [](auto t, auto position, auto rate) { return ...; }");
    f[1] = law(t, T(q[1] - q[0]), T(v[1] - v[0]));
    f[0] = -f[1];
  }
};

template <class Law>
InternalTorque(Law) -> InternalTorque<Law>;

/// A force along one length as a function of time and state. Coordinate: a translation, e.g. the travel of a slider or
/// coordinate_of(point, 0).
///
/// law(t, length, rate) -> force [N] in the direction of growing length. Its power counts as work from outside.
/// When not: for the weight of a slider on a slope, if energies shall balance without it: it is a constant force here,
/// hence work from outside.
template <class Law = ConstantEffort>
struct AxialForce {
  Law law{};

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::translation};

  void describe_parameters(Parameters& p) { p.part("law", law, "force of t, length, rate", "N"); }

  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    static_assert(
        is_law_of_state<Law>,
        "sunlagrange: this law has three arguments: write [](auto t, auto position, auto rate) { return ...; }");
    f[0] = law(t, q[0], v[0]);
  }
};

template <class Law>
AxialForce(Law) -> AxialForce<Law>;

extern template struct internal::ElementType<AppliedTorque<>>;
extern template struct internal::ElementType<InternalTorque<>>;
extern template struct internal::ElementType<AxialForce<>>;

}  // namespace sunlagrange
