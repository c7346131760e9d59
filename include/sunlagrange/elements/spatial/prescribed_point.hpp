// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/elements/spatial/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// Prescribed motion of a point in one direction; three of them lead a point along any path. End BodyEnd or PointEnd.
///
/// g = n.(P - P0) - s(t) [m] with P0 and n the point and the axis z of `track`, a ground frame, and s(t) = `law(t)` for
/// any scalar, see laws.hpp. The end receives
/// the force -lambda n [N]; the drive puts in the power -lambda s'(t) [W].
/// When not: a law with jumps in s' or s'' at known times makes impacts; stop and restart there. A whole body that
/// moves in a prescribed way needs no coordinates.
template <class End = BodyEnd, class Law = Uniform>
struct SpatialPrescribedPoint {
  End end{};
  GroundEnd track{};
  Law law{};

  static constexpr int num_positions = End::num_positions;
  static constexpr auto blocks = End::blocks;
  static constexpr int num_constraints = 1;

  SpatialPrescribedPoint() = default;
  SpatialPrescribedPoint(const End& what, const GroundEnd& along, const Law& how) : end(what), track(along), law(how) {}

  void describe_parameters(Parameters& p) {
    p.part("end", end, "the point");
    p.part("track", track, "origin and direction (z) of the motion");
    p.part("law", law, "place along the track as a function of t", "m");
  }

  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    static_assert(is_law_of_time<Law>,
                  "sunlagrange: this law is a function of time alone: write [](auto t) { return ...; }");
    const spatial::Vector3<T> d = spatial::difference(end.point(q), spatial::constant_vector<T>(track.fixed_point()));
    g[0] = spatial::dot(d, track.fixed_axis(2)) - law(t);
  }

  void draw(double, View<const double> q, Drawing& d) const { d.trace(end.draw(q, 0, d)); }
};

extern template struct internal::ElementType<SpatialPrescribedPoint<>>;

}  // namespace sunlagrange
