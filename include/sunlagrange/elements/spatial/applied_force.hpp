// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/elements/spatial/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// A constant vector in ground axes: the simplest law of SpatialAppliedForce and SpatialAppliedTorque.
struct ConstantVector {
  static constexpr const char* type_name = "ConstantVector";

  double x = 0.0, y = 0.0, z = 1.0;

  void describe_parameters(Parameters& p) {
    p.finite("x", x, "", "along the x axis of the ground");
    p.finite("y", y, "", "along its y axis");
    p.finite("z", z, "", "along its z axis");
  }

  /// The vector, at every time, place and velocity.
  template <class T>
  spatial::Vector3<T> operator()(const T&, const spatial::Vector3<T>&, const spatial::Vector3<T>&) const {
    return {T(x), T(y), T(z)};
  }
};

/// Applied force on a point. End BodyEnd or PointEnd, see JointFrame.
///
/// `law(t, P, P')` gives the force [N] in ground axes from time, position and velocity of the point, for any scalar:
/// a generic lambda, or a struct with
///
///     template <class T>
///     spatial::Vector3<T> operator()(const T& t, const spatial::Vector3<T>& P, const spatial::Vector3<T>& rate) const
///
/// Its power F.P' is entered in the energy balance.
/// When not: for a spring, whose energy would then count as work from outside (SpatialSpringDamper), or for weight
/// (SpatialGravity).
template <class End = BodyEnd, class Law = ConstantVector>
struct SpatialAppliedForce {
  End end{};
  Law law{};

  static constexpr int num_positions = End::num_positions;
  static constexpr auto blocks = End::blocks;

  SpatialAppliedForce() = default;
  SpatialAppliedForce(const End& where, const Law& how_much) : end(where), law(how_much) {}

  void describe_parameters(Parameters& p) {
    p.part("end", end, "where it acts");
    p.part("law", law, "force of t, point, velocity, ground axes", "N");
  }

  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    static_assert(
        is_law_of_state<Law, spatial::Vector3<double>>,
        "sunlagrange: this law has three arguments: write [](auto t, auto position, auto velocity) { return ...; }");
    end.pull_point(q, law(t, end.point(q), end.point_rate(q, v)), 1.0, f.data());
  }
};

extern template struct internal::ElementType<SpatialAppliedForce<>>;

}  // namespace sunlagrange
