// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Linear damper (dashpot) between two ends: points, points of bodies, the ground. Blocks: those of `a`, then of `b`.
///
/// The force on a is -c l' along (a - b) / l with l = |a - b|, on b the opposite; it dissipates c l'^2 [W]. The
/// direction is not defined at l = 0: the element declines that point.
/// When not: for drag against motion in every direction: that is an AppliedForce -c v. When not: for ends that meet in
/// the motion.
template <class A = AtPoint, class B = AtPoint>
struct LinearDamper {
  double c = 1.0;
  A a{};
  B b{};

  static constexpr int num_positions = A::size + B::size;
  static constexpr auto blocks = blocks_of<A, B>();
  static constexpr bool dissipative = true;

  void describe_parameters(Parameters& p) {
    p.not_negative("c", c, "N s/m", "damping");
    p.part("a", a, "one end");
    p.part("b", b, "the other end");
  }

  template <class T>
  bool applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    const T* qb = q.data() + A::size;
    const PlanarVector<T> d = a.position(q.data()) - b.position(qb);
    const PlanarVector<T> u = a.velocity(q.data(), v.data()) - b.velocity(qb, v.data() + A::size);
    const T l2 = dot(d, d);
    if (!(l2 > 0.0)) return false;
    const T pull = c * dot(d, u) / l2;  // l' / l
    a.apply(-pull * d, q.data(), f.data());
    b.apply(pull * d, qb, f.data() + A::size);
    return true;
  }

  void draw(double, View<const double> q, Drawing& d) const { d.damper(a.draw(q, 0, d), b.draw(q, A::size, d)); }
};

template <class A, class B>
LinearDamper(double, A, B) -> LinearDamper<A, B>;

extern template struct internal::ElementType<LinearDamper<>>;
extern template struct internal::ElementType<LinearDamper<AtPoint, OnGround>>;
extern template struct internal::ElementType<LinearDamper<OnBody, OnGround>>;
extern template struct internal::ElementType<LinearDamper<OnBody, OnBody>>;

}  // namespace sunlagrange
