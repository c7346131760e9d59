// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/coordinate.hpp>

#include "kinds/integration.hpp"
#include "kinds/motion.hpp"

/// Dry friction: Coulomb's law made smooth, and sticking and slipping by events.
namespace sunlagrange::test::kinds {
namespace {

/// A slider is pulled to and fro by a spring whose other end is driven; it slips, sticks and slips again.
Motion smooth_friction(Draw& draw) {
  const double mass = draw.power_of_ten(-0.5, 0.5), rate = draw.between(2.0, 8.0), k = mass * rate * rate;
  const double amplitude = draw.between(0.2, 1.0), omega = draw.between(0.3, 2.0) * rate;
  const double F = draw.between(0.2, 1.1) * k * amplitude;
  const double t_end = draw.between(1.0, 4.0) * 6.2832 / omega;
  const double v_r = std::max(draw.power_of_ten(-3.0, -2.0), 5e-5 * F / mass * t_end);  // else the reference is stiff
  Motion motion;
  Assembly assembly;
  const Block slider = assembly.add_coordinates("slider", BlockKind::translation);
  const Block hand = assembly.add_coordinates("hand", BlockKind::translation);
  assembly.add("mass", SlidingMass{mass}, {slider});
  assembly.add("mass of the hand", SlidingMass{mass}, {hand});
  assembly.add("spring", AxialSpring{k, 0.0}, {slider, hand});
  assembly.add("friction", AxialFrictionToGround{F, v_r}, {slider});
  assembly.add("drive", PrescribedCoordinate{Harmonic{0.0, amplitude, omega, 0.0}}, {hand});
  motion.system = assembly.build();
  motion.t_end = t_end;
  motion.reduced = {0, 0};
  motion.follow = [=](State y, Real from, Real to) {
    return integrated(
        [&](Real t, const State& at) {
          const Real pull = k * (amplitude * std::sin(omega * t) - at[0]);
          return State{at[1], (pull - F * std::tanh(at[1] / Real(v_r))) / mass};
        },
        std::move(y), from, to);
  };
  motion.positions = [=](const State& y, Real t) { return vector_of({y[0], amplitude * std::sin(omega * t)}); };
  motion.start.q = Eigen::Vector2d(0.0, 0.0);
  motion.start.v = Eigen::Vector2d(0.0, amplitude * omega);
  motion.text = "friction " + text(F / (k * amplitude)) + " of the spring, " + text(v_r) + " m/s";
  return motion;
}

/// A block that a spring pulls, with its end at constant speed: it holds until the spring exceeds what sticks, slips
/// against what slides until it rests, and holds again.
Motion stick_slip(Draw& draw) {
  const double mass = draw.power_of_ten(-0.5, 0.5), w = draw.between(2.0, 10.0), k = mass * w * w;
  const double speed = draw.between(0.1, 1.0), sliding = draw.between(0.2, 2.0) * mass * gravity;
  const double sticking = sliding * draw.between(1.1, 2.5);
  const double period = as_double(2 * pi) / w + 2.0 * (sticking - sliding) / (k * speed);  // about
  const double t_end = draw.between(0.3, 3.0) * period + sticking / (k * speed);
  Motion motion;
  Assembly assembly;
  const Block slider = assembly.add_coordinates("block", BlockKind::translation);
  const Block hand = assembly.add_coordinates("hand", BlockKind::translation);
  assembly.add("mass", SlidingMass{mass}, {slider});
  assembly.add("mass of the hand", SlidingMass{1.0}, {hand});
  assembly.add("spring", AxialSpring{k, 0.0}, {slider, hand});
  assembly.add("sliding friction", AxialForce{ConstantEffort{-sliding}}, {slider});
  assembly.add("drive", PrescribedCoordinate{Uniform{0.0, speed}}, {hand});
  assembly.add("grip", PrescribedRate{Constant{0.0}}, {slider});
  motion.system = assembly.build();
  motion.t_end = t_end;
  Event slip, stick;
  slip.name = "slips";
  slip.root = [=](const EventPoint& p) { return p.active("grip") ? k * (p.q()[1] - p.q()[0]) - sticking : -1.0; };
  slip.crossing = Crossing::rising;
  slip.action = [](EventContext& c) { c.deactivate("grip"); };
  stick.name = "sticks";
  stick.root = [](const EventPoint& p) { return p.active("grip") ? 1.0 : p.v()[0]; };
  stick.crossing = Crossing::falling;
  stick.action = [](EventContext& c) { c.activate("grip"); };
  motion.events = {slip, stick};
  motion.reduced = {0, 0, 0};  // place, rate, 1 while it slips
  motion.follow = [=](State y, Real from, Real to) {
    Real t = from;
    while (t < to) {
      if (y[2] < 0.5L) {
        const Real until = std::max((sticking / Real(k) + y[0]) / speed, t);
        if (until >= to) break;
        t = until;
        y[2] = 1;
        y[1] = 0;
      }
      // u = x - speed t + sliding / k swings; x' = 0 is u' = -speed, with u'' < 0
      const Real u = y[0] - speed * t + sliding / Real(k), u_rate = y[1] - speed;
      const Real amplitude = std::hypot(u, u_rate / w),
                 phase = std::atan2(-u_rate / w, u);  // u = amplitude cos(w s + phase)
      // amplitude w sin(angle) = speed, falling: cos(angle) > 0 there
      const Real rest = std::asin(std::min(Real(1), speed / (amplitude * w)));
      Real turn = std::fmod(rest - phase + 4 * pi, 2 * pi);
      if (turn < 1e-9L) turn += 2 * pi;
      const Real s = std::min(turn / w, to - t);
      y[0] = amplitude * std::cos(w * s + phase) + speed * (t + s) - sliding / Real(k);
      y[1] = -amplitude * w * std::sin(w * s + phase) + speed;
      if (turn / w <= to - t) {
        y[1] = 0;
        y[2] = 0;
      }
      t += s;
    }
    return y;
  };
  motion.positions = [speed](const State& y, Real t) { return vector_of({y[0], speed * t}); };
  motion.start.q = Eigen::Vector2d(0.0, 0.0);
  motion.start.v = Eigen::Vector2d(0.0, speed);
  motion.text = "sticks at " + text(sticking / sliding) + " of what slides, " + text(t_end / period) + " periods";
  return motion;
}

}  // namespace

std::vector<Kind> friction() {
  return {{"smooth dry friction", smooth_friction}, {"stick and slip by events", stick_slip}};
}

}  // namespace sunlagrange::test::kinds
