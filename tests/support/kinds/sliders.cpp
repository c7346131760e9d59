// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/planar.hpp>

#include "kinds/integration.hpp"
#include "kinds/motion.hpp"

/// Slider-cranks that turn freely through their dead centres; with a coupler as long as the crank, but for 1e-12 to
/// 1e-3 of it, they pass a singular pose or turn close beside it.
namespace sunlagrange::test::kinds {
namespace {

/// The longer of crank and coupler does not turn; `angle` is that of the other one.
struct SliderCrank {
  Real a, b;                    // crank, coupler [m]
  Real crank, coupler, slider;  // masses [kg]
  bool exact;                   // crank and coupler of one length: both turn

  struct Pose {
    Real phi, beta;      // angles of crank and coupler
    Real phi_1, beta_1;  // derivatives by the angle that turns
    Real phi_2, beta_2;
  };

  Pose pose(Real angle) const {
    if (exact) return {angle, -angle, 1, -1, 0, 0};
    const Real ratio = a <= b ? a / b : b / a, s = std::sin(angle), c = std::cos(angle);
    const Real missing = std::abs(b - a) * (b + a) / std::max(a * a, b * b);  // 1 - ratio^2, without cancellation
    const Real other_sine = -ratio * s, other_cosine = std::sqrt(c * c + missing * s * s);
    const Real first = -ratio * c / other_cosine;
    const Real second = ratio * s / other_cosine + other_sine / other_cosine * first * first;
    const Real other = std::asin(other_sine);
    return a <= b ? Pose{angle, other, 1, first, 0, second} : Pose{other, angle, first, 1, second, 0};
  }

  /// Twice the kinetic energy at rate 1, with its derivative by the angle, and the derivative of the potential.
  struct Energies {
    Real inertia, inertia_1, potential_1;
  };

  Energies energies(Real angle) const {
    const Pose p = pose(angle);
    const Real cp = std::cos(p.phi), sp = std::sin(p.phi), cb = std::cos(p.beta), sb = std::sin(p.beta);
    const auto moment = [](Real mass, Real length, Real first, Real second, Real share, Energies& sum) {
      sum.inertia += mass * length * length * share * first * first;
      sum.inertia_1 += 2 * mass * length * length * share * first * second;
    };
    const auto translation = [](Real mass, Real u, Real u_1, Energies& sum) {
      sum.inertia += mass * u * u;
      sum.inertia_1 += 2 * mass * u * u_1;
    };
    Energies sum{0, 0, 0};
    moment(crank, a, p.phi_1, p.phi_2, Real(1) / 3, sum);
    moment(coupler, b, p.beta_1, p.beta_2, Real(1) / 12, sum);
    const auto x = [&](Real part) { return -a * p.phi_1 * sp - part * b * p.beta_1 * sb; };
    const auto x_1 = [&](Real part) {
      return -a * (p.phi_2 * sp + p.phi_1 * p.phi_1 * cp) - part * b * (p.beta_2 * sb + p.beta_1 * p.beta_1 * cb);
    };
    translation(coupler, x(0.5L), x_1(0.5L), sum);
    translation(coupler, a * p.phi_1 * cp + b / 2 * p.beta_1 * cb,
                a * (p.phi_2 * cp - p.phi_1 * p.phi_1 * sp) + b / 2 * (p.beta_2 * cb - p.beta_1 * p.beta_1 * sb), sum);
    translation(slider, x(1), x_1(1), sum);
    sum.potential_1 = gravity * ((crank / 2 + coupler) * a * p.phi_1 * cp + coupler * b / 2 * p.beta_1 * cb);
    return sum;
  }

  Eigen::VectorXd positions(Real angle) const {
    const Pose p = pose(angle);
    const Real x = a * std::cos(p.phi), y = a * std::sin(p.phi), u = b * std::cos(p.beta), w = b * std::sin(p.beta);
    return vector_of({x / 2, y / 2, p.phi, x + u / 2, y + w / 2, p.beta, x + u, 0, 0});
  }
};

std::shared_ptr<const MechanicalSystem> mechanism(const SliderCrank& s) {
  Assembly assembly;
  const auto body = [&](const std::string& name, Real mass, Real moment) {
    const Block block = assembly.add_coordinates(name, BlockKind::planar_body);
    assembly.add("inertia of " + name, PlanarRigidBody{as_double(mass), as_double(moment)}, {block});
    assembly.add("weight of " + name, UniformGravity{as_double(mass), 0.0, -gravity}, {centre_of(block)});
    return block;
  };
  const double a = as_double(s.a), b = as_double(s.b);
  const Block crank = body("crank", s.crank, s.crank * s.a * s.a / 12),
              coupler = body("coupler", s.coupler, s.coupler * s.b * s.b / 12), slider = body("slider", s.slider, 1);
  assembly.add("A", RevoluteToGround{-0.5 * a, 0.0, 0.0, 0.0}, {crank});
  assembly.add("B", Revolute{0.5 * a, 0.0, -0.5 * b, 0.0}, {crank, coupler});
  assembly.add("C", Revolute{0.5 * b, 0.0, 0.0, 0.0}, {coupler, slider});
  assembly.add("guide", PrismaticToGround{}, {slider});
  return assembly.build();
}

/// @param ratio  length of the coupler over that of the crank
Motion slider_crank(Draw& draw, double ratio) {
  SliderCrank s{};
  s.a = draw.between(0.3, 1.0);
  s.b = as_double(s.a) * ratio;
  s.crank = draw.power_of_ten(-0.5, 0.5);
  s.coupler = draw.power_of_ten(-0.5, 0.5);
  s.slider = draw.power_of_ten(-0.5, 0.5);
  s.exact = ratio == 1.0;
  const double angle = draw.between(-1.2, 1.2);
  const Real energy = 4 * gravity * (s.crank + s.coupler) * s.a;
  const Real rate = std::sqrt(2 * energy / s.energies(angle).inertia);
  Motion motion;
  motion.system = mechanism(s);
  motion.t_end = as_double(draw.between(10.0, 14.0) / rate);
  motion.reduced = {angle, rate};
  motion.follow = [s](State y, Real from, Real to) {
    return integrated(
        [&s](Real, const State& at) {
          const SliderCrank::Energies e = s.energies(at[0]);
          return State{at[1], -(e.inertia_1 * at[1] * at[1] / 2 + e.potential_1) / e.inertia};
        },
        std::move(y), from, to);
  };
  motion.positions = [s](const State& y, Real) { return s.positions(y[0]); };
  motion.start.q = s.positions(angle);
  const SliderCrank::Pose p = s.pose(angle);
  const Real pr = p.phi_1 * rate, br = p.beta_1 * rate;
  const Real x = s.a * std::cos(p.phi) * pr, y = -s.a * std::sin(p.phi) * pr;
  const Real u = s.b * std::cos(p.beta) * br, w = -s.b * std::sin(p.beta) * br;
  motion.start.v = vector_of({y / 2, x / 2, pr, y + w / 2, x + u / 2, br, y + w, 0, 0});
  return motion;
}

Motion regular(Draw& draw) {
  return slider_crank(draw, draw.chance(0.5) ? draw.between(1.1, 3.0) : draw.between(0.4, 0.9));
}

Motion folding(Draw& draw) {
  const bool exact = draw.chance(0.25);
  const double size = draw.power_of_ten(-12.0, -3.0), miss = draw.chance(0.5) ? size : -size;
  Motion motion = slider_crank(draw, exact ? 1.0 : 1.0 + miss);
  motion.text = "misses the fold by " + text(exact ? 0.0 : miss);
  motion.branches = true;
  motion.max_steps = 10000;  // beside a narrow gap a run may make no progress, and fails
  return motion;
}

}  // namespace

std::vector<Kind> sliders() {
  return {{"slider-crank through dead centres", regular}, {"folding slider-crank", folding, nullptr, true}};
}

}  // namespace sunlagrange::test::kinds
