// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/network.hpp>
#include <sunlagrange/elements/planar.hpp>

#include "kinds/integration.hpp"
#include "kinds/motion.hpp"

/// Motions that drives prescribe completely, from rest to rest or steady, and coordinates without inertia.
namespace sunlagrange::test::kinds {
namespace {

Real exact(const SmoothStep& step, Real t) {
  const Real s = std::min(Real(1), std::max(Real(0), (t - step.begin) / step.duration));
  return step.from + (Real(step.to) - step.from) * s * s * s * (10 + s * (6 * s - 15));
}

/// The integral of a step from t = 0 on.
Real integral(const SmoothStep& step, Real t) {
  const Real s = std::min(Real(1), std::max(Real(0), (t - step.begin) / step.duration));
  const Real inside = s * s * s * s * (2.5L + s * (s - 3));
  const Real after = std::max(Real(0), t - step.begin - step.duration);
  return step.from * t + (Real(step.to) - step.from) * (step.duration * inside + after);
}

SmoothStep drawn_step(Draw& draw, double t_end, double from, double to) {
  const double duration = draw.between(0.1, 0.8) * t_end;
  return {from, to, draw.between(0.0, 1.0) * (t_end - duration), duration};
}

Block body(Assembly& assembly, const std::string& name, double mass, double length) {
  const Block block = assembly.add_coordinates(name, BlockKind::planar_body);
  assembly.add("inertia of " + name, PlanarRigidBody{mass, mass * length * length / 12.0}, {block});
  assembly.add("weight of " + name, UniformGravity{mass, 0.0, -gravity}, {centre_of(block)});
  return block;
}

/// A crank turns by a part of a turn or by several turns, through the dead centres of its slider.
Motion driven_slider_crank(Draw& draw) {
  const double a = draw.between(0.2, 1.0), b = a * draw.between(1.05, 4.0), t_end = draw.between(1.0, 20.0);
  const double from = draw.between(-3.0, 3.0), turn = either_sign(draw, 0.5, 15.0);
  const SmoothStep step = drawn_step(draw, t_end, from, from + turn);
  Motion motion;
  Assembly assembly;
  const Block crank = body(assembly, "crank", draw.power_of_ten(-1.0, 1.0), a);
  const Block coupler = body(assembly, "coupler", draw.power_of_ten(-1.0, 1.0), b);
  const Block slider = body(assembly, "slider", draw.power_of_ten(-1.0, 1.0), 0.1);
  assembly.add("A", RevoluteToGround{-0.5 * a, 0.0, 0.0, 0.0}, {crank});
  assembly.add("B", Revolute{0.5 * a, 0.0, -0.5 * b, 0.0}, {crank, coupler});
  assembly.add("C", Revolute{0.5 * b, 0.0, 0.0, 0.0}, {coupler, slider});
  assembly.add("guide", PrismaticToGround{}, {slider});
  assembly.add("drive", PrescribedCoordinate{step}, {angle_of(crank)});
  motion.system = assembly.build();
  motion.t_end = t_end;
  motion.positions = [=](const State&, Real t) {
    const Real phi = exact(step, t), x = a * std::cos(phi), y = a * std::sin(phi);
    const Real beta = std::asin(-y / b), end = x + b * std::cos(beta);
    return vector_of({x / 2, y / 2, phi, (x + end) / 2, y / 2, beta, end, 0, 0});
  };
  motion.start.q = motion.positions({}, 0);
  motion.start.v = Eigen::VectorXd::Zero(9);
  motion.text = "step of " + text(turn) + " rad in " + text(step.duration / t_end) + " of the run";
  return motion;
}

/// Arms one behind the other, the joint of each moves in its own time.
Motion driven_arms(Draw& draw) {
  const int arms = 1 + draw.below(4);
  const double t_end = draw.between(1.0, 10.0);
  Motion motion;
  Assembly assembly;
  std::vector<SmoothStep> steps;
  std::vector<double> lengths;
  std::vector<Block> blocks;
  for (int i = 0; i < arms; ++i) {
    const std::string number = std::to_string(i);
    const double length = draw.between(0.3, 1.0), from = draw.between(-2.0, 2.0), to = draw.between(-4.0, 4.0);
    blocks.push_back(body(assembly, "arm" + number, draw.power_of_ten(-1.0, 1.0), length));
    steps.push_back(drawn_step(draw, t_end, from, to));
    if (i == 0) {
      assembly.add("pin0", RevoluteToGround{-0.5 * length, 0.0, 0.0, 0.0}, {blocks[0]});
      assembly.add("drive0", PrescribedCoordinate{steps[0]}, {angle_of(blocks[0])});
    } else {
      const Block& before = blocks[blocks.size() - 2];
      assembly.add("pin" + number, Revolute{0.5 * lengths.back(), 0.0, -0.5 * length, 0.0}, {before, blocks.back()});
      assembly.add("drive" + number, PrescribedDifference{steps.back()}, {angle_of(before), angle_of(blocks.back())});
    }
    lengths.push_back(length);
  }
  motion.system = assembly.build();
  motion.t_end = t_end;
  motion.positions = [=](const State&, Real t) {
    State q;
    Real x = 0, y = 0, angle = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      angle += exact(steps[i], t);
      const Real dx = lengths[i] * std::cos(angle) / 2, dy = lengths[i] * std::sin(angle) / 2;
      q.insert(q.end(), {x + dx, y + dy, angle});
      x += 2 * dx;
      y += 2 * dy;
    }
    return vector_of(q);
  };
  motion.start.q = motion.positions({}, 0);
  motion.start.v = Eigen::VectorXd::Zero(3 * arms);
  motion.text = std::to_string(arms) + " arms";
  return motion;
}

/// A crank of prescribed rate: from rest to a steady rotation, or at a steady one.
Motion driven_rate(Draw& draw) {
  const double length = draw.between(0.2, 1.0), t_end = draw.between(1.0, 20.0), phi = draw.between(-3.0, 3.0);
  const bool steady = draw.chance(0.3);
  const double from = steady ? draw.between(-8.0, 8.0) : 0.0, drawn = draw.between(-8.0, 8.0);
  const SmoothStep step = drawn_step(draw, t_end, from, steady ? from : drawn);
  Motion motion;
  Assembly assembly;
  const Block crank = body(assembly, "crank", draw.power_of_ten(-1.0, 1.0), length);
  assembly.add("A", RevoluteToGround{-0.5 * length, 0.0, 0.0, 0.0}, {crank});
  assembly.add("drive", PrescribedRate{step}, {angle_of(crank)});
  motion.system = assembly.build();
  motion.t_end = t_end;
  motion.reduced = {phi};
  motion.follow = [step](const State& y, Real t, Real to) {
    return State{y[0] + integral(step, to) - integral(step, t)};
  };
  motion.positions = [length](const State& y, Real) {
    return vector_of({length * std::cos(y[0]) / 2, length * std::sin(y[0]) / 2, y[0]});
  };
  motion.start.q = motion.positions(motion.reduced, 0);
  motion.start.v = Eigen::Vector3d(-std::sin(phi) * length / 2, std::cos(phi) * length / 2, 1.0) * from;
  motion.text = steady ? "steady" : "step of the rate in " + text(step.duration / t_end) + " of the run";
  return motion;
}

/// A wheel turns a rack without mass, which a spring holds.
Motion massless_rack(Draw& draw) {
  const double inertia = draw.power_of_ten(-1.0, 1.0), ratio = draw.between(0.3, 2.0), rest = draw.between(-0.5, 0.5);
  const double w = draw.between(0.5, 5.0), k = inertia * w * w / (ratio * ratio);
  const double angle = draw.between(-1.0, 1.0), rate = draw.between(-2.0, 2.0);
  Motion motion;
  Assembly assembly;
  const Block wheel = assembly.add_coordinates("wheel", BlockKind::rotation);
  const Block rack = assembly.add_coordinates("rack", BlockKind::translation);
  assembly.add("inertia", Flywheel{inertia}, {wheel});
  assembly.add("teeth", RackAndPinion{ratio}, {wheel, rack});
  assembly.add("spring", AxialSpringToGround{k, rest}, {rack});
  motion.system = assembly.build();
  motion.t_end = draw.between(2.0, 30.0) / w;
  motion.reduced = {angle, rate};
  motion.follow = [=](const State& y, Real from, Real to) {
    const Real c = std::cos(w * (to - from)), s = std::sin(w * (to - from)), x = y[0] - Real(rest) / ratio;
    return State{Real(rest) / ratio + x * c + y[1] / w * s, y[1] * c - x * w * s};
  };
  motion.positions = [ratio](const State& y, Real) { return vector_of({y[0], ratio * y[0]}); };
  motion.start.q = motion.positions(motion.reduced, 0);
  motion.start.v = rate * Eigen::Vector2d(1.0, ratio);
  return motion;
}

/// A pendulum with a joint without mass between two more rods: it is where both lengths put it.
Motion massless_joint(Draw& draw) {
  const double L = draw.between(0.5, 1.0), first = draw.between(0.4, 0.8), second = draw.between(0.4, 0.8);
  const double mass = draw.power_of_ten(-0.5, 0.5), angle = draw.between(-1.2, 1.2), rate = draw.between(-2.0, 2.0);
  const double triangle = draw.chance(0.5) ? 1.0 : -1.0, stretched = 0.95 * (first + second);
  const double length = std::min(std::max(L, std::abs(first - second) + 0.2), stretched);
  const Real along = (Real(first) * first - Real(second) * second + Real(length) * length) / (2 * Real(length));
  const Real across = triangle * std::sqrt(Real(first) * first - along * along);
  Motion motion;
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  const Block joint = assembly.add_coordinates("joint", BlockKind::planar_point);
  assembly.add("mass", PointMass{mass}, {bob});
  assembly.add("weight", UniformGravity{mass, 0.0, -gravity}, {bob});
  assembly.add("rod", DistanceToGround{0.0, 0.0, length}, {bob});
  assembly.add("first", DistanceToGround{0.0, 0.0, first}, {joint});
  assembly.add("second", Distance{second}, {joint, bob});
  motion.system = assembly.build();
  motion.t_end = draw.between(1.0, 10.0) * std::sqrt(length);
  motion.reduced = {angle, rate};
  motion.follow = [=](State y, Real from, Real to) {
    return integrated(
        [=](Real, const State& at) {
          return State{at[1], -gravity / length * std::sin(at[0])};
        },
        std::move(y), from, to);
  };
  motion.positions = [=](const State& y, Real) {
    const Real s = std::sin(y[0]), c = std::cos(y[0]);
    return vector_of({length * s, -length * c, along * s + across * c, -along * c + across * s});
  };
  motion.start.q = motion.positions(motion.reduced, 0);
  const Eigen::VectorXd& q = motion.start.q;
  motion.start.v = rate * Eigen::Vector4d(-q[1], q[0], -q[3], q[2]);
  return motion;
}

}  // namespace

std::vector<Kind> driven_motions() {
  return {{"driven slider-crank", driven_slider_crank},
          {"driven arms", driven_arms},
          {"prescribed rate", driven_rate},
          {"rack without mass", massless_rack},
          {"joint without mass", massless_joint}};
}

}  // namespace sunlagrange::test::kinds
