// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <optional>

#include <sunlagrange/base/setting.hpp>

#include "four_bar.hpp"
#include "kinds/integration.hpp"
#include "kinds/motion.hpp"

/// Four-bars that fold exactly, or miss the fold by 1e-12 to 1e-3 m.
namespace sunlagrange::test::kinds {
namespace {

enum class Shape { parallelogram, folding, kite };

FourBar drawn_bars(Draw& draw, Shape shape, double miss) {
  FourBar bar{};
  bar.a = draw.between(0.5, 2.0);
  bar.d = bar.a + draw.between(0.5, 2.0);
  const double share = shape == Shape::folding ? draw.between(0.2, 0.8) : shape == Shape::kite ? 1.0 : 0.0;
  bar.c = share == 1.0 ? bar.d : bar.a + (bar.d - bar.a) * share;
  bar.b = shape == Shape::parallelogram ? bar.d : shape == Shape::kite ? bar.a : bar.a + bar.d - bar.c;
  bar.b += miss;
  for (double& density : bar.density) density = draw.power_of_ten(-0.5, 0.5);
  bar.phi = draw.between(0.5, 2.6);
  FourBarMotion::close(bar, shape == Shape::parallelogram ? bar.phi : 0.8L);
  bar.rate = FourBarMotion::rate_to_turn(bar);
  return bar;
}

Eigen::VectorXd positions(const FourBar& bar, Real phi, Real psi, Real coupler) {
  const Real px = bar.a * std::cos(phi), py = bar.a * std::sin(phi);
  const Real ex = bar.c * std::cos(psi), ey = bar.c * std::sin(psi);
  return vector_of({px / 2, py / 2, phi, (px + bar.d + ex) / 2, (py + ey) / 2, coupler, bar.d + ex / 2, ey / 2, psi});
}

/// The motion of a four-bar with a < c < d that folds exactly, b = a + d - c, whatever the rounding of b. With s, k the
/// sine and cosine of half the angle of the crank from the fold, and w the tangent of half that of the rocker, it
/// closes where
///
///     (c (d + a) k^2 + d (c - a) s^2) w^2 - 2 a c s k w = a (d - c) s^2.
///
/// Both roots are smooth functions of the half angle, and each of them goes straight through the fold.
class ExactFold {
 public:
  explicit ExactFold(const FourBar& bar) : bar_(bar) {
    if (std::abs(std::remainder(rocker(bar.phi).angle - bar.psi, 2 * pi)) > 1e-9L) root_ = -1;
    offset_ = 2 * pi * std::round((bar.psi - rocker(bar.phi).angle) / (2 * pi));
    energy_ = bar.rate * bar.rate * twice_kinetic(bar.phi) / 2 + potential(bar.phi);
  }

  /// Rate of the crank at its angle.
  Real rate(Real phi) const { return std::sqrt(2 * (energy_ - potential(phi)) / twice_kinetic(phi)); }

  /// The coupler never lies along the ground but in the fold, where it points the same way.
  Eigen::VectorXd at(Real phi) const {
    const Real psi = rocker(phi).angle;
    return positions(bar_, phi, psi,
                     std::atan2(bar_.c * std::sin(psi) - bar_.a * std::sin(phi),
                                bar_.d + bar_.c * std::cos(psi) - bar_.a * std::cos(phi)));
  }

 private:
  struct Rocker {
    Real angle, slope;  // slope: by the angle of the crank
  };

  Rocker rocker(Real phi) const {
    const Real a = bar_.a, c = bar_.c, d = bar_.d, s = std::sin((phi - pi) / 2), k = std::cos((phi - pi) / 2);
    const Real square = c * (d + a) * k * k + d * (c - a) * s * s, square_1 = -2 * a * (c + d) * s * k;
    const Real root = root_ * std::sqrt(a * a * c * c * k * k + a * (d - c) * square);
    const Real root_1 = (a * (d - c) * square_1 / 2 - a * a * c * c * s * k) / root;
    const Real w = s * (a * c * k + root) / square;
    const Real w_1 = (k * (a * c * k + root) + s * (root_1 - a * c * s) - w * square_1) / square;
    return {pi + 2 * std::atan(w) + offset_, w_1 / (1 + w * w)};
  }

  Real potential(Real phi) const { return FourBarMotion::potential(bar_, {phi, rocker(phi).angle}); }
  Real twice_kinetic(Real phi) const {
    const Rocker r = rocker(phi);
    return FourBarMotion::twice_kinetic(bar_, {phi, r.angle}, 1, r.slope);
  }

  FourBar bar_;
  Real root_ = 1;  // its sign
  Real offset_ = 0, energy_ = 0;
};

Motion four_bar(Draw& draw, Shape shape) {
  for (;;) {
    // Only where two bars are equal do lengths in doubles fold exactly; others are exactly_folding().
    const bool exact = draw.chance(0.25) && shape != Shape::folding;
    const double size = draw.power_of_ten(-12.0, -3.0);
    const double miss = exact ? 0.0 : draw.chance(0.5) ? size : -size;
    const FourBar bar = drawn_bars(draw, shape, miss);
    if (!std::isfinite(bar.psi) || !std::isfinite(bar.rate)) continue;
    Motion motion;
    motion.t_end = 12.5664 / bar.rate;
    FourBarMotion reference(bar, exact ? 2e-6L : 1e-9L);
    const auto end = reference.at(motion.t_end);
    if (!end) continue;
    motion.system = FourBarMotion::mechanism(bar);
    motion.start = FourBarMotion::start(bar);
    motion.text = "misses the fold by " + sunlagrange::text(miss) + " m";
    motion.branches = true;
    motion.max_steps = 10000;  // beside a narrow gap a run may make no progress, and fails
    const Eigen::VectorXd q = positions(bar, end->phi, end->psi, reference.coupler());
    motion.positions = [=](const State&, Real) { return q; };
    return motion;
  }
}

Motion exactly_folding(Draw& draw) {
  for (;;) {
    const FourBar bar = drawn_bars(draw, Shape::folding, 0.0);
    if (!std::isfinite(bar.psi) || !std::isfinite(bar.rate)) continue;
    const ExactFold fold(bar);
    Motion motion;
    motion.t_end = 12.5664 / bar.rate;
    motion.system = FourBarMotion::mechanism(bar);
    motion.start = FourBarMotion::start(bar);
    motion.text = "crank of " + sunlagrange::text(bar.a) + " m";
    motion.reduced = {bar.phi};
    motion.follow = [=](State y, Real from, Real to) {
      return integrated([=](Real, const State& x) { return State{fold.rate(x[0])}; }, std::move(y), from, to);
    };
    motion.positions = [=](const State& y, Real) { return fold.at(y[0]); };
    motion.branches = true;
    return motion;
  }
}

}  // namespace

std::vector<Kind> four_bars() {
  return {{"parallelogram", [](Draw& draw) { return four_bar(draw, Shape::parallelogram); }},
          {"folding four-bar", [](Draw& draw) { return four_bar(draw, Shape::folding); }},
          {"exactly folding four-bar", exactly_folding},
          {"kite", [](Draw& draw) { return four_bar(draw, Shape::kite); }}};
}

}  // namespace sunlagrange::test::kinds
