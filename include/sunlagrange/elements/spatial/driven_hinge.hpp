// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include <sunlagrange/elements/spatial/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// Prescribed angle about a joint axis: a driven hinge. Ends BodyEnd or GroundEnd, see JointFrame; goes with a
/// SpatialRevolute (or SpatialCylindrical) between the same ends, which keeps their axes z parallel.
///
/// g = x_b.(cos(s) y_a - sin(s) x_a), which vanishes where x_b is turned from x_a by s(t) = `law(t)` [rad] about z_a;
/// law as in SpatialPrescribedPoint. No angle is ever computed, so s may grow through any number of turns. lambda is
/// the torque [N m] of the drive: b receives -lambda about z_a, a the opposite; the drive puts in the power -lambda
/// s'(t). Half a turn away the row is satisfied as well; the start decides.
template <class A = BodyEnd, class B = BodyEnd, class Law = Uniform>
struct SpatialDrivenHinge {
  A a{};
  B b{};
  Law law{};

  static constexpr int num_positions = A::num_positions + B::num_positions;
  static constexpr auto blocks = blocks_of_ends<A, B>();
  static constexpr int num_constraints = 1;

  SpatialDrivenHinge() = default;
  SpatialDrivenHinge(const A& end_a, const B& end_b, const Law& how) : a(end_a), b(end_b), law(how) {}

  void describe_parameters(Parameters& p) {
    p.part("a", a, "one end");
    p.part("b", b, "the other end, turned by the drive");
    p.part("law", law, "angle as a function of t", "rad");
  }

  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    static_assert(is_law_of_time<Law>,
                  "sunlagrange: this law is a function of time alone: write [](auto t) { return ...; }");
    using std::cos;
    using std::sin;
    const View<const T> qa = spatial::part(q, 0, A::num_positions);
    const View<const T> qb = spatial::part(q, A::num_positions, B::num_positions);
    const T s = law(t);
    const spatial::Vector3<T> x_b = b.axis(0, qb);
    g[0] = cos(s) * spatial::dot(x_b, a.axis(1, qa)) - sin(s) * spatial::dot(x_b, a.axis(0, qa));
  }
};

extern template struct internal::ElementType<SpatialDrivenHinge<>>;

}  // namespace sunlagrange
