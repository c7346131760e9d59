// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include <sunlagrange/elements/spatial/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// Spring and damper along the line between two points. Ends of any kind, see JointFrame; axes are not used.
///
/// With l the distance of the points: energy k (l - l0)^2 / 2, dissipated power c l'^2; tension k (l - l0) + c l' [N]
/// pulls the points together. With l0 = 0 and c = 0 it is k times the vector between them, defined everywhere.
/// Otherwise the line has no direction at distance zero: the element declines that point. When not: ends that pass
/// through each other, if l0 > 0 or c > 0; nor as a penalty in place of SpatialDistance: that makes the system stiff.
template <class A = BodyEnd, class B = BodyEnd>
struct SpatialSpringDamper {
  A a{};
  B b{};
  double k = 1.0;
  double l0 = 0.0;
  double c = 0.0;

  static constexpr int num_positions = A::num_positions + B::num_positions;
  static constexpr auto blocks = blocks_of_ends<A, B>();

  void describe_parameters(Parameters& p) {
    p.part("a", a, "one end");
    p.part("b", b, "the other end");
    p.not_negative("k", k, "N/m", "stiffness");
    p.finite("l0", l0, "m", "free length");
    p.not_negative("c", c, "N s/m", "damping");
  }

  SpatialSpringDamper() = default;
  SpatialSpringDamper(const A& end_a, const B& end_b, double stiffness, double free_length, double damping = 0.0)
      : a(end_a), b(end_b), k(stiffness), l0(free_length), c(damping) {}

  template <class T>
  bool applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    const View<const T> qa = spatial::part(q, 0, A::num_positions);
    const View<const T> qb = spatial::part(q, A::num_positions, B::num_positions);
    const spatial::Vector3<T> d = spatial::difference(a.point(qa), b.point(qb));
    T pull(k);  // tension over the length
    if (l0 != 0.0 || c != 0.0) {
      const Elongation<T> s = elongation(q, v);
      if (!(s.length > 0.0)) return false;
      pull = (k * (s.length - l0) + c * s.rate) / s.length;
    }
    const spatial::Vector3<T> F = spatial::scaled(pull, d);
    a.pull_point(qa, F, -1.0, f.data());
    b.pull_point(qb, F, 1.0, f.data() + A::num_positions);
    return true;
  }

  double energy(double, View<const double> q, View<const double> v) const {
    const double longer = elongation(q, v).length - l0;
    return 0.5 * k * longer * longer;
  }
  double power(double, View<const double> q, View<const double> v) const {
    const Elongation<double> s = elongation(q, v);
    return s.length > 0.0 ? -c * s.rate * s.rate : 0.0;
  }

  void draw(double, View<const double> q, Drawing& d) const {
    const Drawing::Point from = a.draw(q, 0, d), to = b.draw(q, A::num_positions, d);
    d.spring(from, to);
    if (c > 0.0) d.damper(from, to);
  }

 private:
  template <class T>
  struct Elongation {
    spatial::Vector3<T> d;  // P_a - P_b
    T length, rate;
  };

  template <class T>
  Elongation<T> elongation(View<const T> q, View<const T> v) const {
    using std::sqrt;
    const View<const T> qa = spatial::part(q, 0, A::num_positions), va = spatial::part(v, 0, A::num_positions);
    const View<const T> qb = spatial::part(q, A::num_positions, B::num_positions);
    const View<const T> vb = spatial::part(v, A::num_positions, B::num_positions);
    Elongation<T> s;
    s.d = spatial::difference(a.point(qa), b.point(qb));
    s.length = sqrt(spatial::dot(s.d, s.d));
    s.rate = spatial::dot(s.d, spatial::difference(a.point_rate(qa, va), b.point_rate(qb, vb))) / s.length;
    return s;
  }
};

extern template struct internal::ElementType<SpatialSpringDamper<>>;

}  // namespace sunlagrange
