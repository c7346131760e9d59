// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <optional>

#include <sunlagrange/base/setting.hpp>

#include "four_bar.hpp"
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

Motion four_bar(Draw& draw, Shape shape) {
  for (;;) {
    // Lengths in doubles miss an exact fold by their rounding. Only where two bars are equal do they cancel.
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
    const Real px = bar.a * std::cos(end->phi), py = bar.a * std::sin(end->phi);
    const Real ex = bar.c * std::cos(end->psi), ey = bar.c * std::sin(end->psi);
    const Real coupler = reference.coupler();
    motion.positions = [=](const State&, Real) {
      return vector_of(
          {px / 2, py / 2, end->phi, (px + bar.d + ex) / 2, (py + ey) / 2, coupler, bar.d + ex / 2, ey / 2, end->psi});
    };
    return motion;
  }
}

}  // namespace

std::vector<Kind> four_bars() {
  return {{"parallelogram", [](Draw& draw) { return four_bar(draw, Shape::parallelogram); }},
          {"folding four-bar", [](Draw& draw) { return four_bar(draw, Shape::folding); }},
          {"kite", [](Draw& draw) { return four_bar(draw, Shape::kite); }}};
}

}  // namespace sunlagrange::test::kinds
