// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/elements/spatial/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// Prescribed travel along a joint axis: a driven slide, e.g. a cylinder of prescribed stroke. Ends BodyEnd or
/// GroundEnd, see JointFrame; goes with a SpatialPrismatic (or SpatialCylindrical) between the same ends, which keeps b
/// on the axis of a.
///
/// g = z_a.(P_b - P_a) - s(t) [m] with s(t) = `law(t)`, law as in SpatialPrescribedPoint. lambda is the force [N] of
/// the drive: b receives -lambda along z_a at P_b, a the opposite at the same place; the drive puts in the power
/// -lambda s'(t) [W].
/// When not: for the distance of two points, SpatialDistance; for a point moved against the ground,
/// SpatialPrescribedPoint.
template <class A = BodyEnd, class B = BodyEnd, class Law = Uniform>
struct SpatialDrivenSlide {
  A a{};
  B b{};
  Law law{};

  static constexpr int num_positions = A::num_positions + B::num_positions;
  static constexpr auto blocks = blocks_of_ends<A, B>();
  static constexpr int num_constraints = 1;

  SpatialDrivenSlide() = default;
  SpatialDrivenSlide(const A& end_a, const B& end_b, const Law& how) : a(end_a), b(end_b), law(how) {}

  void describe_parameters(Parameters& p) {
    p.part("a", a, "one end");
    p.part("b", b, "the other end, moved by the drive");
    p.part("law", law, "travel as a function of t", "m");
  }

  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    static_assert(is_law_of_time<Law>,
                  "sunlagrange: this law is a function of time alone: write [](auto t) { return ...; }");
    const View<const T> qa = spatial::part(q, 0, A::num_positions);
    const View<const T> qb = spatial::part(q, A::num_positions, B::num_positions);
    g[0] = spatial::dot(a.axis(2, qa), spatial::difference(b.point(qb), a.point(qa))) - law(t);
  }
};

extern template struct internal::ElementType<SpatialDrivenSlide<>>;

}  // namespace sunlagrange
