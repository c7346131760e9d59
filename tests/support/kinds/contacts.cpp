// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/network.hpp>
#include <sunlagrange/elements/planar.hpp>

#include "kinds/motion.hpp"

/// Contacts with closed forms: impacts on a slope, elastic floors, springs that act beyond a gap.
namespace sunlagrange::test::kinds {
namespace {

/// Height and rate of a point that falls onto a floor and rebounds with restitution e.
State bounced(State y, Real duration, Real fall, Real e) {
  Real left = duration;
  while (left > 0) {
    const Real height = std::max(y[0], Real(0)), rate = y[1];
    if (height == 0 && rate <= 0) return {0, 0};
    const Real landing = (rate + std::sqrt(rate * rate + 2 * fall * height)) / fall;
    if (landing >= left) return {height + rate * left - fall * left * left / 2, rate - fall * left};
    left -= landing;
    y = {0, -e * (rate - fall * landing)};
    if (y[1] < 1e-12L) return {0, 0};
  }
  return y;
}

/// A point slides and bounces down a slope without friction.
Motion bouncing_point(Draw& draw) {
  const double angle = draw.between(-1.0, 1.0), mass = draw.power_of_ten(-1.0, 1.0);
  const int sort = draw.below(4);
  const double drawn = draw.between(0.2, 0.95), e = sort == 0 ? 0.0 : sort == 1 ? 1.0 : drawn;
  const double height = draw.between(0.2, 2.0), up = draw.between(-1.0, 1.0), along = draw.between(-1.0, 1.0);
  const Real fall = gravity * std::cos(Real(angle)), slide = -gravity * std::sin(Real(angle));
  const Real landing = (up + std::sqrt(Real(up) * up + 2 * fall * height)) / fall;
  const Real bounce = 2 * e * (fall * landing - up) / fall;  // duration of the first
  const double bounces = draw.between(0.3, 6.0);
  Motion motion;
  Assembly assembly;
  const Block point = assembly.add_coordinates("point", BlockKind::planar_point);
  assembly.add("mass", PointMass{mass}, {point});
  assembly.add("weight", UniformGravity{mass, 0.0, -gravity}, {point});
  assembly.add("slope", PinOnCurve{StraightLine{angle}, AtPoint{}, OnGround{}}, {point});
  motion.system = assembly.build();
  motion.events = {unilateral_contact("slope", e)};
  motion.t_end = as_double(landing + (e > 0.0 ? bounces * bounce : Real(0.5)));
  motion.reduced = {height, up, 0, along};
  motion.follow = [=](const State& y, Real from, Real to) {
    const State across = bounced({y[0], y[1]}, to - from, fall, e);
    const Real t = to - from;
    return State{across[0], across[1], y[2] + y[3] * t + slide * t * t / 2, y[3] + slide * t};
  };
  const Real c = std::cos(Real(angle)), s = std::sin(Real(angle));
  motion.positions = [=](const State& y, Real) { return vector_of({c * y[2] - s * y[0], s * y[2] + c * y[0]}); };
  motion.start.q = motion.positions(motion.reduced, 0);
  motion.start.v = vector_of({c * along - s * up, s * along + c * up});
  motion.text = "restitution " + text(e) + ", about " + text(bounces) + " bounces";
  return motion;
}

/// Moves x'' = -w^2 x from (x, v) by t.
void swing(State& y, Real w, Real t) {
  const Real c = std::cos(w * t), s = std::sin(w * t), x = y[0];
  y = {x * c + y[1] / w * s, y[1] * c - x * w * s};
}

/// Returns the time until x'' = -w^2 x comes through `at` upwards; a negative number if it never does.
Real rising_through(const State& y, Real w, Real at) {
  const Real amplitude = std::hypot(y[0], y[1] / w);
  if (!(std::abs(at) < amplitude)) return -1;
  const Real now = std::atan2(y[1] / w, y[0]);  // x = amplitude cos(w t - now)
  const Real turn = std::fmod(now - std::acos(at / amplitude) + 4 * pi, 2 * pi);
  return turn / w;
}

/// A point on an elastic floor without friction.
Motion elastic_floor(Draw& draw) {
  const double mass = draw.power_of_ten(-1.0, 1.0), height = draw.between(0.0, 1.5), up = draw.between(-1.0, 1.0);
  const double along = draw.between(-1.0, 1.0), hardness = draw.power_of_ten(1.0, 3.5);  // rate of the contact [1/s]
  const double t_end = draw.between(0.5, 4.0);
  Motion motion;
  Assembly assembly;
  const Block point = assembly.add_coordinates("point", BlockKind::planar_point);
  assembly.add("mass", PointMass{mass}, {point});
  assembly.add("weight", UniformGravity{mass, 0.0, -gravity}, {point});
  SurfaceContact<> floor;
  floor.y = 0.0;
  floor.k = mass * hardness * hardness;
  floor.mu = 0.0;
  assembly.add("floor", floor, {point});
  motion.system = assembly.build();
  motion.t_end = t_end;
  motion.reduced = {height, up, 0, along};
  const Real w = std::sqrt(Real(floor.k) / mass), depth = gravity / (w * w);
  motion.follow = [=](State y, Real from, Real to) {
    State across{y[0], y[1]};
    for (Real left = to - from; left > 0;) {
      if (across[0] > 0 || (across[0] == 0 && across[1] > 0)) {
        const Real rate = across[1], landing = (rate + std::sqrt(rate * rate + 2 * gravity * across[0])) / gravity;
        const Real t = std::min(left, landing);
        across = {landing <= left ? 0 : across[0] + rate * t - gravity * t * t / 2, rate - gravity * t};
        left -= t;
        if (left <= 0) break;
      }
      State inside{across[0] + depth, across[1]};
      const Real exit = rising_through(inside, w, depth);
      const Real t = exit > 0 ? std::min(left, exit) : left;
      swing(inside, w, t);
      across = {exit > 0 && exit <= left ? 0 : inside[0] - depth, inside[1]};
      left -= t;
    }
    return State{across[0], across[1], y[2] + y[3] * (to - from), y[3]};
  };
  motion.positions = [](const State& y, Real) { return vector_of({y[2], y[0]}); };
  motion.start.q = motion.positions(motion.reduced, 0);
  motion.start.v = Eigen::Vector2d(along, up);
  motion.text = "contact of " + text(as_double(pi) / hardness / t_end) + " of the run";
  return motion;
}

/// A slider between two stops, springs that act beyond a gap only; it turns a second slider by a gear.
Motion gap_between_springs(Draw& draw) {
  const double mass = draw.power_of_ten(-1.0, 1.0), other = draw.power_of_ten(-1.0, 1.0);
  const double ratio = draw.between(0.3, 3.0), gap = draw.between(0.2, 1.0), place = draw.between(-1.0, 1.0) * gap;
  const double rate = either_sign(draw, 0.3, 2.0);
  const double hardness = draw.power_of_ten(0.5, 3.0);
  const double t_end = draw.between(1.0, 8.0) * 2.0 * gap / std::abs(rate);
  const double inertia = mass + ratio * ratio * other, stiffness = inertia * hardness * hardness;
  Motion motion;
  Assembly assembly;
  const Block slider = assembly.add_coordinates("slider", BlockKind::translation);
  const Block angle = assembly.add_coordinates("wheel", BlockKind::rotation);
  assembly.add("mass", SlidingMass{mass}, {slider});
  assembly.add("inertia", Flywheel{other}, {angle});
  assembly.add("rack", RackAndPinion{1.0 / ratio}, {angle, slider});
  assembly.add("stops", AxialForce{[=](auto, auto x, auto) {
                 using T = decltype(x);
                 if (x > gap) return -stiffness * (x - gap);
                 if (x < -gap) return -stiffness * (x + gap);
                 return T(0.0);
               }},
               {slider});
  motion.system = assembly.build();
  motion.t_end = t_end;
  motion.reduced = {place, rate};
  const Real w = std::sqrt(Real(stiffness) / inertia);
  motion.follow = [=](State y, Real from, Real to) {
    for (Real left = to - from; left > 0;) {
      const Real side = y[0] > gap || (y[0] == gap && y[1] > 0)     ? 1
                        : y[0] < -gap || (y[0] == -gap && y[1] < 0) ? -1
                                                                    : 0;
      if (side == 0) {
        const Real until = y[1] > 0 ? (gap - y[0]) / y[1] : y[1] < 0 ? (-gap - y[0]) / y[1] : 2 * left;
        if (until >= left) return State{y[0] + y[1] * left, y[1]};
        y[0] = y[1] > 0 ? gap : -gap;
        left -= until;
        continue;
      }
      State beyond{-side * (y[0] - side * gap), -side * y[1]};  // from below zero upwards through it
      const Real exit = rising_through(beyond, w, 0);
      if (!(exit > 0) || exit >= left) {
        swing(beyond, w, left);
        return State{side * gap - side * beyond[0], -side * beyond[1]};
      }
      swing(beyond, w, exit);
      y = {side * gap, -side * beyond[1]};
      left -= exit;
    }
    return y;
  };
  motion.positions = [ratio](const State& y, Real) { return vector_of({y[0], ratio * y[0]}); };
  motion.start.q = motion.positions(motion.reduced, 0);
  motion.start.v = rate * Eigen::Vector2d(1.0, ratio);
  motion.text = "contact of " + text(as_double(pi) / hardness / t_end) + " of the run";
  return motion;
}

}  // namespace

std::vector<Kind> contacts() {
  return {{"point that bounces down a slope", bouncing_point},
          {"elastic floor", elastic_floor},
          {"springs beyond a gap", gap_between_springs}};
}

}  // namespace sunlagrange::test::kinds
