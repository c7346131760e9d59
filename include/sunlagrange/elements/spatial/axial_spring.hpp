// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <sunlagrange/elements/spatial/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// Spring and damper along a joint axis. Ends BodyEnd or GroundEnd, see JointFrame; goes with a SpatialPrismatic (or
/// SpatialCylindrical) between the same ends, which keeps b on the axis of a.
///
/// travel = z_a.(P_b - P_a) [m], of either sign. Energy k (travel - travel0)^2 / 2, dissipated power c travel'^2; b
/// receives the force -k (travel - travel0) - c travel' [N] along z_a at P_b, a the opposite at the same place.
/// When not: where b leaves the axis: SpatialSpringDamper, which acts along the line of its points.
template <class A = BodyEnd, class B = BodyEnd>
struct SpatialAxialSpring {
  A a{};
  B b{};
  double k = 1.0;
  double travel0 = 0.0;
  double c = 0.0;

  static constexpr int num_positions = A::num_positions + B::num_positions;
  static constexpr auto blocks = blocks_of_ends<A, B>();

  void describe_parameters(Parameters& p) {
    p.part("a", a, "one end");
    p.part("b", b, "the other end");
    p.not_negative("k", k, "N/m", "stiffness");
    p.finite("travel0", travel0, "m", "free travel");
    p.not_negative("c", c, "N s/m", "damping");
  }

  SpatialAxialSpring() = default;
  SpatialAxialSpring(const A& end_a, const B& end_b, double stiffness, double free_travel, double damping = 0.0)
      : a(end_a), b(end_b), k(stiffness), travel0(free_travel), c(damping) {}

  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    const Travel<T> s = measure(q, v);
    const T tension = k * (s.travel - travel0) + c * s.rate;
    const spatial::Vector3<T> along = spatial::scaled(tension, s.axis);
    const View<const T> qa = spatial::part(q, 0, A::num_positions);
    a.pull_point(qa, along, 1.0, f.data());
    a.pull_axis(2, qa, spatial::scaled(tension, s.d), -1.0, f.data());
    b.pull_point(spatial::part(q, A::num_positions, B::num_positions), along, -1.0, f.data() + A::num_positions);
  }

  double energy(double, View<const double> q, View<const double> v) const {
    const double further = measure(q, v).travel - travel0;
    return 0.5 * k * further * further;
  }
  double power(double, View<const double> q, View<const double> v) const {
    const double rate = measure(q, v).rate;
    return -c * rate * rate;
  }

 private:
  template <class T>
  struct Travel {
    spatial::Vector3<T> axis, d;  // z_a, P_b - P_a
    T travel, rate;
  };

  template <class T>
  Travel<T> measure(View<const T> q, View<const T> v) const {
    const View<const T> qa = spatial::part(q, 0, A::num_positions), va = spatial::part(v, 0, A::num_positions);
    const View<const T> qb = spatial::part(q, A::num_positions, B::num_positions);
    const View<const T> vb = spatial::part(v, A::num_positions, B::num_positions);
    Travel<T> s;
    s.axis = a.axis(2, qa);
    s.d = spatial::difference(b.point(qb), a.point(qa));
    s.travel = spatial::dot(s.axis, s.d);
    s.rate = spatial::dot(a.axis_rate(2, qa, va), s.d) +
             spatial::dot(s.axis, spatial::difference(b.point_rate(qb, vb), a.point_rate(qa, va)));
    return s;
  }
};

extern template struct internal::ElementType<SpatialAxialSpring<>>;

}  // namespace sunlagrange
