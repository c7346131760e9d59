// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Linear spring between two ends: points, points of bodies, the ground (planar.hpp). Blocks: those of `a`, then of
/// `b`.
///
/// V = k (l - l0)^2 / 2 with l = |a - b|; the force on a is -k (l - l0) along (a - b) / l, on b the opposite: tension
/// pulls the ends together. With l0 = 0 it is -k (a - b), defined everywhere. With l0 > 0 the direction is not defined
/// at l = 0: the element declines that point, and the integrator steps over it or stops there.
/// When not: for an end that slides along a line or turns only: AxialSpring and TorsionSpring act on one coordinate.
/// Not for a spring whose ends meet in the motion: with l0 > 0 its force jumps there.
template <class A = AtPoint, class B = AtPoint>
struct LinearSpring {
  double k = 1.0;
  double l0 = 1.0;
  A a{};
  B b{};

  static constexpr int num_positions = A::size + B::size;
  static constexpr auto blocks = blocks_of<A, B>();

  void describe_parameters(Parameters& p) {
    p.finite("k", k, "N/m", "stiffness");
    p.not_negative("l0", l0, "m", "length without force");
    p.part("a", a, "one end");
    p.part("b", b, "the other end");
  }

  template <class T>
  bool applied_force(T, View<const T> q, View<const T>, View<T> f) const {
    const T* qb = q.data() + A::size;
    const PlanarVector<T> d = a.position(q.data()) - b.position(qb);
    T pull(k);  // over the length
    if (l0 != 0.0) {
      using std::sqrt;
      const T l2 = dot(d, d);
      if (!(l2 > 0.0)) return false;
      pull = k - k * l0 / sqrt(l2);
    }
    a.apply(-pull * d, q.data(), f.data());
    b.apply(pull * d, qb, f.data() + A::size);
    return true;
  }

  double energy(double, View<const double> q, View<const double>) const {
    const PlanarVector<double> d = a.position(q.data()) - b.position(q.data() + A::size);
    const double elongation = std::sqrt(dot(d, d)) - l0;
    return 0.5 * k * elongation * elongation;
  }

  void draw(double, View<const double> q, Drawing& d) const { d.spring(a.draw(q, 0, d), b.draw(q, A::size, d)); }
};

template <class A, class B>
LinearSpring(double, double, A, B) -> LinearSpring<A, B>;

extern template struct internal::ElementType<LinearSpring<>>;
extern template struct internal::ElementType<LinearSpring<AtPoint, OnGround>>;
extern template struct internal::ElementType<LinearSpring<OnBody, OnGround>>;
extern template struct internal::ElementType<LinearSpring<OnBody, OnBody>>;

}  // namespace sunlagrange
