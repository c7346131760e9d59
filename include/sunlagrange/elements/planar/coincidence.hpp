// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// Two ends are at the same place: a pin of a body to a point, or of natural coordinates to bodies. Blocks: those of
/// `a`, then of `b`.
///
/// g = a - b [m], two rows x and y. lambda [N] is the joint force in ground axes: a receives -lambda, b receives
/// +lambda. Two bodies, or a body and the ground: Revolute and RevoluteToGround are the same with rows written by hand.
/// When not: for two points: let the parts share one point, at no cost.
template <class A = OnBody, class B = AtPoint>
struct Coincidence {
  A a{};
  B b{};

  static constexpr int num_positions = A::size + B::size;
  static constexpr auto blocks = blocks_of<A, B>();
  static constexpr int num_constraints = 2;

  void describe_parameters(Parameters& p) {
    p.part("a", a, "one end");
    p.part("b", b, "the other end");
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const PlanarVector<T> d = a.position(q.data()) - b.position(q.data() + A::size);
    g[0] = d.x;
    g[1] = d.y;
  }

  std::vector<std::string> constraint_names() const { return {"x", "y"}; }

  void draw(double, View<const double> q, Drawing& d) const {
    d.pin(a.draw(q, 0, d));
    b.draw(q, A::size, d);
  }
};

template <class A, class B>
Coincidence(A, B) -> Coincidence<A, B>;

extern template struct internal::ElementType<Coincidence<>>;

}  // namespace sunlagrange
