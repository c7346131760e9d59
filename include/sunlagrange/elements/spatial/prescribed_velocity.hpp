// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/elements/spatial/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// Prescribed velocity of a point in one direction. End BodyEnd or PointEnd.
///
/// psi = n.P' - u(t) [m/s] with n the axis z of `track` and u(t) = `law(t)` for any scalar, as in
/// SpatialPrescribedPoint. The end receives the force -lambda n [N]; the drive puts in the power -lambda u(t) [W]. Not
/// where the position is known as well: SpatialPrescribedPoint keeps it, this row lets it drift by the integration
/// error.
template <class End = BodyEnd, class Law = Uniform>
struct SpatialPrescribedVelocity {
  End end{};
  GroundEnd track{};
  Law law{};

  static constexpr int num_positions = End::num_positions;
  static constexpr auto blocks = End::blocks;
  static constexpr int num_velocity_constraints = 1;

  SpatialPrescribedVelocity() = default;
  SpatialPrescribedVelocity(const End& what, const GroundEnd& along, const Law& how)
      : end(what), track(along), law(how) {}

  void describe_parameters(Parameters& p) {
    p.part("end", end, "the point");
    p.part("track", track, "direction (z) of the velocity");
    p.part("law", law, "speed along the track as a function of t", "m/s");
  }

  template <class T>
  void velocity_constraint(T t, View<const T> q, View<const T> v, View<T> psi) const {
    static_assert(is_law_of_time<Law>,
                  "sunlagrange: this law is a function of time alone: write [](auto t) { return ...; }");
    psi[0] = spatial::dot(end.point_rate(q, v), track.fixed_axis(2)) - law(t);
  }
};

extern template struct internal::ElementType<SpatialPrescribedVelocity<>>;

}  // namespace sunlagrange
