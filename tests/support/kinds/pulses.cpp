// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/planar.hpp>

#include "kinds/integration.hpp"
#include "kinds/motion.hpp"

/// A pendulum that a short pulse of force or of prescribed motion meets, or short pulses at equal intervals, of 1e-4 to
/// 1e-1 of the run.
namespace sunlagrange::test::kinds {
namespace {

/// A hump of unit height, sin^4, in each interval of length `period` from `begin` on; once if the period is zero.
struct Humps {
  double begin, duration, period;

  template <class T>
  T operator()(const T& t) const {
    using std::sin;
    const double now = value_of(t);
    const double turn = period > 0.0 && now > begin ? std::floor((now - begin) / period) : 0.0;
    const double start = begin + turn * period;
    if (!(now > start) || !(now < start + duration)) return T(0.0);
    const T s = sin((t - start) * (as_double(pi) / duration));
    return s * s * s * s;
  }
  Real exact(Real t) const {
    const Real turn = period > 0.0 && t > begin ? std::floor((t - begin) / period) : 0.0L;
    const Real since = t - begin - turn * period;
    if (!(since > 0) || !(since < duration)) return 0;
    const Real s = std::sin(since * pi / duration);
    return s * s * s * s;
  }
  std::vector<Real> kinks(Real t_end) const {
    std::vector<Real> times;
    for (Real t = begin; t < t_end; t += period) {
      times.push_back(t);
      times.push_back(t + duration);
      if (!(period > 0.0)) break;
    }
    return times;
  }
};

/// A force to the side, which states its times.
struct Push {
  Humps humps;
  double peak, t_end;

  template <class T, class Q, class V>
  PlanarVector<T> operator()(const T& t, const Q&, const V&) const {
    return {peak * humps(t), T(0.0)};
  }
  void describe_parameters(Parameters& p) const {
    for (const Real time : humps.kinks(t_end)) p.not_smooth_at(as_double(time));
  }
};

/// A motion of a pivot to the side, for good or there and back, which states its times.
struct Shift {
  Humps humps;
  SmoothStep step;
  double height;
  bool back;

  template <class T>
  PlanarVector<T> operator()(const T& t) const {
    return {back ? height * humps(t) : step(t), T(0.0)};
  }
  void describe_parameters(Parameters& p) const {
    for (const double time : {humps.begin, humps.begin + humps.duration}) p.not_smooth_at(time);
  }
};

struct Pendulum {
  double mass, length, angle, rate;  // angle from the vertical

  static Pendulum drawn(Draw& draw) {
    Pendulum p{};
    p.mass = draw.power_of_ten(-0.5, 0.5);
    p.length = draw.between(0.3, 2.0);
    const bool hangs = draw.chance(0.3);
    const double angle = draw.between(-1.5, 1.5), rate = draw.between(-2.0, 2.0);
    p.angle = hangs ? 0.0 : angle;
    p.rate = hangs ? 0.0 : rate;
    return p;
  }
  double unit_of_time() const { return std::sqrt(length / gravity); }
};

/// Adds a bob.
Block bob_of(Assembly& assembly, const Pendulum& p) {
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("mass", PointMass{p.mass}, {bob});
  assembly.add("weight", UniformGravity{p.mass, 0.0, -gravity}, {bob});
  return bob;
}

Motion pushed(const Pendulum& p, double t_end, const Humps& humps, double peak) {
  Motion motion;
  Assembly assembly;
  const Block bob = bob_of(assembly, p);
  assembly.add("rod", DistanceToGround{0.0, 0.0, p.length}, {bob});
  assembly.add("pulse", AppliedForce{Push{humps, peak, t_end}, AtPoint{}}, {bob});
  motion.system = assembly.build();
  motion.t_end = t_end;
  motion.reduced = {p.angle, p.rate};
  motion.follow = [=](State y, Real from, Real to) {
    return integrated(
        [&](Real t, const State& at) {
          return State{at[1], -gravity / Real(p.length) * std::sin(at[0]) +
                                  peak * humps.exact(t) * std::cos(at[0]) / (Real(p.mass) * p.length)};
        },
        std::move(y), from, to, humps.kinks(t_end));
  };
  motion.positions = [p](const State& y, Real) {
    return vector_of({p.length * std::sin(y[0]), -p.length * std::cos(y[0])});
  };
  motion.start.q = motion.positions(motion.reduced, 0);
  motion.start.v = p.length * p.rate * Eigen::Vector2d(std::cos(p.angle), std::sin(p.angle));
  motion.text = "pulses of " + text(humps.duration / t_end) + " of the run" + (p.rate == 0.0 ? ", from rest" : "");
  return motion;
}

Motion pulse_of_force(Draw& draw) {
  const Pendulum p = Pendulum::drawn(draw);
  const double t_end = draw.between(5.0, 20.0) * p.unit_of_time(), duration = draw.power_of_ten(-4.0, -1.0) * t_end;
  const Humps humps{draw.between(0.05, 0.8) * t_end, duration, 0.0};
  const double kick = draw.between(0.3, 1.5) * p.length / p.unit_of_time();
  return pushed(p, t_end, humps, p.mass * kick / (0.375 * duration));
}

Motion periodic_pulses(Draw& draw) {
  const Pendulum p = Pendulum::drawn(draw);
  const double t_end = draw.between(5.0, 20.0) * p.unit_of_time(), period = t_end / draw.between(5.0, 12.0);
  const double begin = draw.between(0.0, 0.9) * period, share = draw.power_of_ten(-3.0, -0.5);
  const Humps humps{begin, share * period, period};
  const double kick = draw.between(0.05, 0.3) * p.length / p.unit_of_time();
  return pushed(p, t_end, humps, p.mass * kick / (0.375 * humps.duration));
}

/// The pivot moves to the side and, in half of the cases, back again.
Motion pulse_of_motion(Draw& draw) {
  const Pendulum p = Pendulum::drawn(draw);
  const double t_end = draw.between(5.0, 20.0) * p.unit_of_time(), duration = draw.power_of_ten(-4.0, -1.0) * t_end;
  const double begin = draw.between(0.05, 0.8) * t_end, height = draw.between(0.1, 0.3) * p.length;
  const bool back = draw.chance(0.5);
  const Humps humps{begin, duration, 0.0};
  const SmoothStep step{0.0, height, begin, duration};
  const double heavy = draw.power_of_ten(-0.5, 0.5);
  Motion motion;
  Assembly assembly;
  const Block bob = bob_of(assembly, p), pivot = assembly.add_coordinates("pivot", BlockKind::planar_point);
  assembly.add("mass of the pivot", PointMass{heavy}, {pivot});
  assembly.add("rod", Distance{p.length}, {bob, pivot});
  assembly.add("drive", PrescribedPoint{Shift{humps, step, height, back}, AtPoint{}}, {pivot});
  motion.system = assembly.build();
  motion.t_end = t_end;
  motion.reduced = {p.angle, p.rate};
  const auto place = [=](Real t) -> Real {
    if (back) return height * humps.exact(t);
    const Real s = t < begin ? 0.0L : t > begin + duration ? 1.0L : (t - begin) / duration;
    return height * s * s * s * (10 + s * (6 * s - 15));
  };
  const auto acceleration = [=](Real t) -> Real {
    const Real s = (t - begin) / duration, scale = height / (Real(duration) * duration);
    if (!(s > 0) || !(s < 1)) return 0;
    if (!back) return scale * s * (60 + s * (120 * s - 180));
    const Real sine = std::sin(pi * s), cosine = std::cos(pi * s);
    return scale * pi * pi * (12 * sine * sine * cosine * cosine - 4 * sine * sine * sine * sine);
  };
  motion.follow = [=](State y, Real from, Real to) {
    return integrated(
        [&](Real t, const State& at) {
          return State{at[1], (-gravity * std::sin(at[0]) - acceleration(t) * std::cos(at[0])) / p.length};
        },
        std::move(y), from, to, humps.kinks(t_end));
  };
  motion.positions = [=](const State& y, Real t) {
    return vector_of({place(t) + p.length * std::sin(y[0]), -p.length * std::cos(y[0]), place(t), 0});
  };
  motion.start.q = motion.positions(motion.reduced, 0);
  motion.start.v = p.length * p.rate * Eigen::Vector4d(std::cos(p.angle), std::sin(p.angle), 0.0, 0.0);
  motion.text = "pulse of " + text(duration / t_end) + " of the run" + (back ? ", and back" : "") +
                (p.rate == 0.0 ? ", from rest" : "");
  return motion;
}

}  // namespace

std::vector<Kind> pulses() {
  return {{"pulse of force", pulse_of_force},
          {"periodic pulses of force", periodic_pulses},
          {"pulse of motion", pulse_of_motion}};
}

}  // namespace sunlagrange::test::kinds
