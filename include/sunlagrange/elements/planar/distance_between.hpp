// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Constant distance of two ends, at least one of them on a body: a massless rod pinned to both. Blocks: those of `a`,
/// then of `b`.
///
/// g = (d.d - L^2) / 2 with d = a - b [m^2]. The force on a is -lambda d, on b +lambda d; lambda > 0 is tension, of
/// lambda L newton. Two points, or a point and the ground: Distance and DistanceToGround are the same with rows written
/// by hand. When not: for L = 0: the gradient vanishes there and the row is lost; use Coincidence, two rows.
template <class A = OnBody, class B = OnBody>
struct DistanceBetween {
  double L = 1.0;
  A a{};
  B b{};

  static constexpr int num_positions = A::size + B::size;
  static constexpr auto blocks = blocks_of<A, B>();
  static constexpr int num_constraints = 1;

  void describe_parameters(Parameters& p) {
    p.positive("L", L, "m", "length", "use Coincidence or Revolute instead");
    p.part("a", a, "one end");
    p.part("b", b, "the other end");
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const PlanarVector<T> d = a.position(q.data()) - b.position(q.data() + A::size);
    g[0] = 0.5 * (dot(d, d) - L * L);
  }

  void draw(double, View<const double> q, Drawing& d) const { d.rod(a.draw(q, 0, d), b.draw(q, A::size, d)); }
};

template <class A, class B>
DistanceBetween(double, A, B) -> DistanceBetween<A, B>;

extern template struct internal::ElementType<DistanceBetween<>>;

}  // namespace sunlagrange
