// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/planar.hpp>

#include "four_bar.hpp"
#include "kinds/integration.hpp"
#include "kinds/motion.hpp"

/// Parts of 1e-1 to 1e-6 of the mass of the heavy one.
namespace sunlagrange::test::kinds {
namespace {

/// Two points on massless rods, the first on the ground; angles from the vertical.
struct DoublePendulum {
  double m1, m2, L1, L2;

  State rates(const State& y) const {
    const Real c = std::cos(y[0] - y[2]), s = std::sin(y[0] - y[2]), share = Real(m2) / (Real(m1) + m2);
    // L1 a1 + share L2 c a2 = r1,   L1 c a1 + L2 a2 = r2
    const Real r1 = -share * L2 * s * y[3] * y[3] - gravity * std::sin(y[0]);
    const Real r2 = L1 * s * y[1] * y[1] - gravity * std::sin(y[2]);
    const Real rest = 1 - share * c * c;
    return {y[1], (r1 - share * c * r2) / (L1 * rest), y[3], (r2 - c * r1) / (L2 * rest)};
  }
};

Motion double_pendulum(const DoublePendulum& p, const State& start, double t_end) {
  Motion motion;
  Assembly assembly;
  const Block first = assembly.add_coordinates("first", BlockKind::planar_point);
  const Block second = assembly.add_coordinates("second", BlockKind::planar_point);
  assembly.add("mass 1", PointMass{p.m1}, {first});
  assembly.add("mass 2", PointMass{p.m2}, {second});
  assembly.add("weight 1", UniformGravity{p.m1, 0.0, -gravity}, {first});
  assembly.add("weight 2", UniformGravity{p.m2, 0.0, -gravity}, {second});
  assembly.add("rod 1", DistanceToGround{0.0, 0.0, p.L1}, {first});
  assembly.add("rod 2", Distance{p.L2}, {first, second});
  motion.system = assembly.build();
  motion.t_end = t_end;
  motion.reduced = start;
  motion.follow = [p](State y, Real from, Real to) {
    return integrated([p](Real, const State& at) { return p.rates(at); }, std::move(y), from, to);
  };
  motion.positions = [p](const State& y, Real) {
    const Real x = p.L1 * std::sin(y[0]), z = -p.L1 * std::cos(y[0]);
    return vector_of({x, z, x + p.L2 * std::sin(y[2]), z - p.L2 * std::cos(y[2])});
  };
  motion.start.q = motion.positions(start, 0);
  const Real u = p.L1 * start[1] * std::cos(start[0]), w = p.L1 * start[1] * std::sin(start[0]);
  motion.start.v =
      vector_of({u, w, u + p.L2 * start[3] * std::cos(start[2]), w + p.L2 * start[3] * std::sin(start[2])});
  motion.text = "masses " + text(p.m1) + " and " + text(p.m2);
  return motion;
}

/// A light point hangs on a heavy one.
Motion light_end(Draw& draw) {
  const double heavy = draw.power_of_ten(-0.5, 0.5), light = heavy * draw.power_of_ten(-6.0, -1.0);
  const double L1 = draw.between(0.5, 1.5), L2 = draw.between(0.3, 1.5);
  const State start{draw.between(-1.5, 1.5), draw.between(-1.0, 1.0), draw.between(-1.5, 1.5), draw.between(-1.0, 1.0)};
  return double_pendulum({heavy, light, L1, L2}, start, draw.between(1.0, 5.0));
}

/// A light joint carries a heavy point; both rods begin in one line.
Motion light_joint(Draw& draw) {
  const double heavy = draw.power_of_ten(-0.5, 0.5), light = heavy * draw.power_of_ten(-6.0, -1.0);
  const double L1 = draw.between(0.5, 1.5), L2 = draw.between(0.3, 1.5);
  const Real angle = draw.between(-1.2, 1.2), rate = draw.between(-0.5, 0.5);
  const double across = std::sqrt(gravity * heavy / light * (1.0 / L1 + 1.0 / L2));  // rate of the light point [1/s]
  return double_pendulum({light, heavy, L1, L2}, {angle, rate, angle, rate},
                         std::min(draw.between(1.0, 5.0), 3000.0 / across));
}

/// A four-bar that turns, with one bar lighter than the others.
Motion light_bar(Draw& draw) {
  FourBar bar{};
  bar.a = draw.between(0.3, 0.6);
  bar.d = draw.between(1.2, 1.6);
  bar.c = draw.between(1.0, 1.4);
  bar.b = draw.between(1.0, 1.4) + 0.2;
  for (double& density : bar.density) density = draw.power_of_ten(-0.3, 0.3);
  const double share = draw.power_of_ten(-6.0, -1.0);
  bar.density[draw.below(3)] *= share;
  bar.phi = draw.between(0.5, 2.6);
  FourBarMotion::close(bar, 1.2L);
  bar.rate = FourBarMotion::rate_to_turn(bar);
  Motion motion;
  motion.system = FourBarMotion::mechanism(bar);
  motion.start = FourBarMotion::start(bar);
  motion.t_end = 12.5664 / bar.rate;
  motion.reduced = {0, 0};  // changes of angle and rate at the start
  const double t_end = motion.t_end;
  motion.positions = [bar, t_end](const State& y, Real) {
    FourBar disturbed = bar;
    disturbed.phi += as_double(y[0]);
    disturbed.rate += as_double(y[1]);
    FourBarMotion::close(disturbed, bar.psi);
    FourBarMotion reference(disturbed);
    const FourBarMotion::Angles end = reference.at(t_end).value();
    const Real px = bar.a * std::cos(end.phi), py = bar.a * std::sin(end.phi);
    const Real ex = bar.c * std::cos(end.psi), ey = bar.c * std::sin(end.psi);
    return vector_of({px / 2, py / 2, end.phi, (px + bar.d + ex) / 2, (py + ey) / 2, reference.coupler(),
                      bar.d + ex / 2, ey / 2, end.psi});
  };
  motion.text = "one bar lighter by " + text(share);
  return motion;
}

/// A rod of mass m and inertia J, its centre at `a` from its pin on a cart that moves along a level rail; angle from
/// the horizontal.
struct RodOnCart {
  double cart, m, J, a;

  State rates(const State& y) const {
    const Real s = std::sin(y[2]), c = std::cos(y[2]), ma = Real(m) * a;
    // (cart + m) x'' - ma s a'' = ma c a'^2,   -ma s x'' + (J + ma a) a'' = -ma g c
    const Real total = Real(cart) + m, inertia = J + ma * a, r1 = ma * c * y[3] * y[3], r2 = -ma * gravity * c;
    const Real determinant = total * J + ma * (Real(a) * cart + ma * c * c);
    return {y[1], (inertia * r1 + ma * s * r2) / determinant, y[3], (total * r2 + ma * s * r1) / determinant};
  }
};

/// @param point  the rod has no mass but that of a point at its end
Motion rod_on_cart(Draw& draw, bool point) {
  const double heavy = draw.power_of_ten(-0.5, 0.5), light = heavy * draw.power_of_ten(-6.0, -1.0);
  const double length = draw.between(0.5, 1.5);
  const RodOnCart p{light, heavy, point ? 0.0 : heavy * length * length / 12.0, point ? length : 0.5 * length};
  Motion motion;
  Assembly assembly;
  const Block cart = assembly.add_coordinates("cart", BlockKind::planar_point);
  const Block rod = assembly.add_coordinates("rod", point ? BlockKind::planar_point : BlockKind::planar_body);
  assembly.add("mass of cart", PointMass{light}, {cart});
  assembly.add("rail", PrescribedCoordinate{Harmonic{0.0, 0.0, 1.0, 0.0}}, {coordinate_of(cart, 1)});
  if (point) {
    assembly.add("mass of rod", PointMass{heavy}, {rod});
    assembly.add("weight of rod", UniformGravity{heavy, 0.0, -gravity}, {rod});
    assembly.add("pin", Distance{length}, {cart, rod});
  } else {
    assembly.add("mass of rod", PlanarRigidBody{heavy, p.J}, {rod});
    assembly.add("weight of rod", UniformGravity{heavy, 0.0, -gravity}, {centre_of(rod)});
    assembly.add("pin", Coincidence<OnBody, AtPoint>{OnBody{-p.a, 0.0}, AtPoint{}}, {rod, cart});
  }
  motion.system = assembly.build();
  motion.t_end = draw.between(1.0, 4.0);
  const Real rate = draw.between(-1.0, 1.0), angle = draw.between(-1.2, 1.2);
  motion.reduced = {0, draw.between(-1.0, 1.0), angle, rate};
  motion.follow = [p](State y, Real from, Real to) {
    return integrated([p](Real, const State& at) { return p.rates(at); }, std::move(y), from, to);
  };
  motion.positions = [p, point](const State& y, Real) {
    State q{y[0], 0, y[0] + p.a * std::cos(y[2]), p.a * std::sin(y[2])};
    if (!point) q.push_back(y[2]);
    return vector_of(q);
  };
  motion.start.q = motion.positions(motion.reduced, 0);
  const Real v = motion.reduced[1];
  State start{v, 0, v - p.a * std::sin(angle) * rate, p.a * std::cos(angle) * rate};
  if (!point) start.push_back(rate);
  motion.start.v = vector_of(start);
  motion.text = "cart of " + text(light) + ", rod of " + text(heavy);
  return motion;
}

Motion bob_on_light_cart(Draw& draw) {
  return rod_on_cart(draw, true);
}

Motion rod_on_light_cart(Draw& draw) {
  return rod_on_cart(draw, false);
}

/// A light point on a heavy body that turns about its centre.
Motion point_on_rotor(Draw& draw) {
  const double heavy = draw.power_of_ten(-0.5, 0.5), light = heavy * draw.power_of_ten(-6.0, -1.0);
  const double r = draw.between(0.2, 0.6), inertia = heavy * draw.between(0.05, 0.2);
  Motion motion;
  Assembly assembly;
  const Block rotor = assembly.add_coordinates("rotor", BlockKind::planar_body);
  const Block point = assembly.add_coordinates("point", BlockKind::planar_point);
  assembly.add("mass of rotor", PlanarRigidBody{heavy, inertia}, {rotor});
  assembly.add("mass of point", PointMass{light}, {point});
  assembly.add("weight of point", UniformGravity{light, 0.0, -gravity}, {point});
  assembly.add("bearing", RevoluteToGround{0.0, 0.0, 0.0, 0.0}, {rotor});
  assembly.add("pin", Coincidence<OnBody, AtPoint>{OnBody{r, 0.0}, AtPoint{}}, {rotor, point});
  motion.system = assembly.build();
  motion.t_end = draw.between(1.0, 10.0);
  const Real angle = draw.between(-1.5, 1.5), rate = either_sign(draw, 1.0, 10.0);
  motion.reduced = {angle, rate};
  const Real pull = -gravity * light * r / (inertia + Real(light) * r * r);
  motion.follow = [pull](State y, Real from, Real to) {
    return integrated(
        [pull](Real, const State& at) {
          return State{at[1], pull * std::cos(at[0])};
        },
        std::move(y), from, to);
  };
  motion.positions = [r](const State& y, Real) {
    return vector_of({0, 0, y[0], r * std::cos(y[0]), r * std::sin(y[0])});
  };
  motion.start.q = motion.positions(motion.reduced, 0);
  motion.start.v = vector_of({0, 0, rate, -r * std::sin(angle) * rate, r * std::cos(angle) * rate});
  motion.text = "rotor of " + text(heavy) + ", point of " + text(light);
  return motion;
}

}  // namespace

std::vector<Kind> light_parts() {
  return {{"light point on a heavy one", light_end},  {"light joint with a heavy point", light_joint},
          {"four-bar with a light bar", light_bar},   {"bob on a light cart", bob_on_light_cart},
          {"rod on a light cart", rod_on_light_cart}, {"light point on a rotor", point_on_rotor}};
}

}  // namespace sunlagrange::test::kinds
