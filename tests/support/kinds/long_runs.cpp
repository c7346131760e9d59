// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/planar.hpp>

#include "kinds/integration.hpp"
#include "kinds/motion.hpp"

/// Pendulums over up to 1000 periods, and mechanisms at rest.
namespace sunlagrange::test::kinds {
namespace {

/// Returns the period of a pendulum of rate w at small angles, from its angle and rate: Gauss' mean for the elliptic
/// integral.
Real period(Real w, Real angle, Real rate) {
  const Real half = std::sin(angle / 2);
  Real a = 1, b = std::sqrt(1 - half * half - rate * rate / (4 * w * w));
  while (std::abs(a - b) > 1e-18L) {
    const Real mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return 2 * pi / (w * a);
}

/// @param fewest, most  decades of the number of periods
Motion pendulum(Draw& draw, double fewest, double most) {
  const double mass = draw.power_of_ten(-1.0, 1.0), L = draw.between(0.2, 2.0), angle = draw.between(0.1, 2.5);
  const double periods = draw.power_of_ten(fewest, most);
  const Real w = std::sqrt(gravity / Real(L));
  Motion motion;
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("mass", PointMass{mass}, {bob});
  assembly.add("weight", UniformGravity{mass, 0.0, -gravity}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, L}, {bob});
  motion.system = assembly.build();
  motion.t_end = periods * as_double(period(w, angle, 0));
  motion.max_steps = 10000000;
  motion.reduced = {angle, 0};
  motion.follow = [w](State y, Real from, Real to) {
    const Real rest = std::fmod(to - from, period(w, y[0], y[1]));
    return integrated(
        [w](Real, const State& at) {
          return State{at[1], -w * w * std::sin(at[0])};
        },
        std::move(y), 0, rest);
  };
  motion.positions = [L](const State& y, Real) { return vector_of({L * std::sin(y[0]), -L * std::cos(y[0])}); };
  motion.start.q = motion.positions(motion.reduced, 0);
  motion.start.v = Eigen::Vector2d::Zero();
  motion.text = text(periods) + " periods";
  return motion;
}

/// Bodies that hang one below the other, without motion.
Motion hanging_bodies(Draw& draw) {
  const int count = 1 + draw.below(4);
  Motion motion;
  Assembly assembly;
  Eigen::VectorXd q(3 * count);
  double below = 0.0, before = 0.0;
  Block above;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    const double mass = draw.power_of_ten(-1.0, 1.0), length = draw.between(0.3, 1.0);
    const Block body = assembly.add_coordinates("body" + number, BlockKind::planar_body);
    assembly.add("inertia" + number, PlanarRigidBody{mass, mass * length * length / 12.0}, {body});
    assembly.add("weight" + number, UniformGravity{mass, 0.0, -gravity}, {centre_of(body)});
    if (i == 0) {
      assembly.add("pin0", RevoluteToGround{0.0, 0.5 * length, 0.0, 0.0}, {body});
    } else {
      assembly.add("pin" + number, Revolute{0.0, -0.5 * before, 0.0, 0.5 * length}, {above, body});
    }
    q.segment<3>(3 * i) << 0.0, -below - 0.5 * length, 0.0;
    below += length;
    before = length;
    above = body;
  }
  motion.system = assembly.build();
  motion.t_end = draw.power_of_ten(0.0, 3.0);
  motion.positions = [q](const State&, Real) { return q; };
  motion.start = {0.0, q, Eigen::VectorXd::Zero(3 * count)};
  motion.text = std::to_string(count) + " bodies, " + text(motion.t_end) + " s";
  return motion;
}

}  // namespace

std::vector<Kind> long_runs() {
  return {{"pendulum over many periods", [](Draw& draw) { return pendulum(draw, 1.0, 2.0); }},
          {"pendulum over 1000 periods", [](Draw& draw) { return pendulum(draw, 2.5, 3.0); }, nullptr, true},
          {"hanging bodies at rest", hanging_bodies}};
}

}  // namespace sunlagrange::test::kinds
