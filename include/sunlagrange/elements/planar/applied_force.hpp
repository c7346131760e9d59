// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/elements/planar/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// The same force at all times, in ground axes.
struct ConstantForce {
  static constexpr const char* type_name = "ConstantForce";

  double x = 1.0;
  double y = 0.0;

  void describe_parameters(Parameters& p) {
    p.finite("x", x, "N", "along the x axis of the ground");
    p.finite("y", y, "N", "along its y axis");
  }

  /// The force [N], at every time and state.
  template <class T>
  PlanarVector<T> operator()(const T&, View<const T>, View<const T>) const {
    return {T(x), T(y)};
  }
};

/// A force given as a function of time and state, at a point or at a point of a body.
///
/// law(t, q, v) -> PlanarVector [N] in ground axes; q and v are the coordinates of the block and their rates, so a law
/// for a body knows its angle. It must accept every scalar type: [](auto t, auto q, auto v) { return
/// PlanarVector<decltype(t)>{-2.0 * v[0], -2.0 * v[1]}; } is drag. Its power counts as work from outside.
/// When not: for weight or springs, whose elements know their potential energy. When not: for laws that jump (dry
/// friction): make the jump an event, or smooth it.
template <class Law = ConstantForce, class End = AtPoint>
struct AppliedForce {
  Law law{};
  End end{};

  static constexpr int num_positions = End::size;
  static constexpr auto blocks = blocks_of<End>();

  void describe_parameters(Parameters& p) {
    p.part("law", law, "force of t, q, v, ground axes", "N");
    p.part("end", end, "where it acts");
  }

  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    static_assert(is_law_of_state<Law, View<const double>>,
                  "sunlagrange: this law has three arguments: write [](auto t, auto q, auto v) { return ...; }");
    const PlanarVector<T> force = law(t, q, v);
    end.apply(force, q.data(), f.data());
  }
};

template <class Law, class End>
AppliedForce(Law, End) -> AppliedForce<Law, End>;

extern template struct internal::ElementType<AppliedForce<>>;

}  // namespace sunlagrange
