// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include <sunlagrange/elements/spatial/ends.hpp>
#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

/// Torsion spring and damper about a joint axis. Ends BodyEnd or GroundEnd, see JointFrame; goes with a SpatialRevolute
/// (or SpatialCylindrical) between the same ends, which keeps their axes z parallel.
///
/// angle = atan2(x_b.y_a, x_b.x_a), by which x_b is turned from x_a about z_a, in (-pi, pi]. Energy
/// k (angle - angle0)^2 / 2, dissipated power c angle'^2; b receives the torque -k (angle - angle0) - c angle' [N m]
/// about z_a, a the opposite.
/// When not: for angles beyond half a turn from x_a: the spring torque jumps there. Turn the x axis of an end, or use a
/// damper alone (k = 0), which does not mind.
template <class A = BodyEnd, class B = BodyEnd>
struct SpatialTorsionSpring {
  A a{};
  B b{};
  double k = 1.0;
  double angle0 = 0.0;
  double c = 0.0;

  static constexpr int num_positions = A::num_positions + B::num_positions;
  static constexpr auto blocks = blocks_of_ends<A, B>();

  void describe_parameters(Parameters& p) {
    p.part("a", a, "one end");
    p.part("b", b, "the other end");
    p.not_negative("k", k, "N m/rad", "stiffness");
    p.finite("angle0", angle0, "rad", "free angle");
    p.not_negative("c", c, "N m s/rad", "damping");
  }

  SpatialTorsionSpring() = default;
  SpatialTorsionSpring(const A& end_a, const B& end_b, double stiffness, double free_angle, double damping = 0.0)
      : a(end_a), b(end_b), k(stiffness), angle0(free_angle), c(damping) {}

  template <class T>
  bool applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    const View<const T> qa = spatial::part(q, 0, A::num_positions);
    const View<const T> qb = spatial::part(q, A::num_positions, B::num_positions);
    const Turn<T> turn = measure(q, v);
    if (!(turn.square > 0.0)) return false;
    const T torque = (k * (turn.angle - angle0) + c * turn.rate) / turn.square;
    // d angle = (cosine d sine - sine d cosine) / square
    const T along_sine = torque * turn.cosine;
    const T along_cosine = torque * turn.sine;
    const auto pull = [&](const auto& end, int axis, View<const T> own, const spatial::Vector3<T>& other, const T& size,
                          double sign,
                          T* target) { end.pull_axis(axis, own, spatial::scaled(size, other), sign, target); };
    const spatial::Vector3<T> x_a = a.axis(0, qa), y_a = a.axis(1, qa), x_b = b.axis(0, qb);
    T* f_b = f.data() + A::num_positions;
    pull(a, 1, qa, x_b, along_sine, -1.0, f.data());
    pull(a, 0, qa, x_b, along_cosine, 1.0, f.data());
    pull(b, 0, qb, y_a, along_sine, -1.0, f_b);
    pull(b, 0, qb, x_a, along_cosine, 1.0, f_b);
    return true;
  }

  double energy(double, View<const double> q, View<const double> v) const {
    const double turned = measure(q, v).angle - angle0;
    return 0.5 * k * turned * turned;
  }
  double power(double, View<const double> q, View<const double> v) const {
    const Turn<double> turn = measure(q, v);
    return turn.square > 0.0 ? -c * turn.rate * turn.rate : 0.0;
  }

 private:
  template <class T>
  struct Turn {
    T sine, cosine, square, angle, rate;
  };

  template <class T>
  Turn<T> measure(View<const T> q, View<const T> v) const {
    using std::atan2;
    const View<const T> qa = spatial::part(q, 0, A::num_positions), va = spatial::part(v, 0, A::num_positions);
    const View<const T> qb = spatial::part(q, A::num_positions, B::num_positions);
    const View<const T> vb = spatial::part(v, A::num_positions, B::num_positions);
    const spatial::Vector3<T> x_a = a.axis(0, qa), y_a = a.axis(1, qa), x_b = b.axis(0, qb);
    const spatial::Vector3<T> x_b_rate = b.axis_rate(0, qb, vb);
    Turn<T> turn;
    turn.sine = spatial::dot(x_b, y_a);
    turn.cosine = spatial::dot(x_b, x_a);
    turn.square = turn.sine * turn.sine + turn.cosine * turn.cosine;
    turn.angle = atan2(turn.sine, turn.cosine);
    const T sine_rate = spatial::dot(x_b_rate, y_a) + spatial::dot(x_b, a.axis_rate(1, qa, va));
    const T cosine_rate = spatial::dot(x_b_rate, x_a) + spatial::dot(x_b, a.axis_rate(0, qa, va));
    turn.rate = (turn.cosine * sine_rate - turn.sine * cosine_rate) / turn.square;
    return turn;
  }
};

extern template struct internal::ElementType<SpatialTorsionSpring<>>;

}  // namespace sunlagrange
