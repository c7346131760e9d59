#include <cmath>

#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>

#include "mechanisms/mechanism.hpp"
#include "mechanisms/n_four_bar_motion.hpp"

/// The N-four-bar mechanism of n_four_bar.cpp, IFToMM problem A02, made of rigid bodies and pins: what an engineer
/// would draw, and three times as many unknowns as natural coordinates.
///
/// 2 N + 1 bars, each (x, y, angle) of its centre: n = 6 N + 3; pins with two rows each, N + 1 on the ground and 2 N
/// between bars: m = 6 N + 2. Vertical bar i points from A_i to B_i at angle phi, horizontal bar i from B_i to B_i+1 at
/// angle 0. Start and reference: as there; no multipliers. Singular positions: as there.
namespace sunlagrange::mechanisms {
namespace {

ReferenceState exact_state(int loops, double t) {
  const VerticalBars bars = vertical_bars(loops, t);
  const Eigen::Vector2d along(std::sin(bars.theta), -std::cos(bars.theta));  // from A to B
  const Eigen::Vector2d across = bars.rate * Eigen::Vector2d(std::cos(bars.theta), std::sin(bars.theta));
  const int n = 6 * loops + 3;
  ReferenceState s{Eigen::VectorXd(n), Eigen::VectorXd(n), {}};
  const double phi = bars.theta - std::acos(0.0);
  for (int i = 0; i <= loops; ++i) {
    s.q.segment<3>(6 * i) << i + 0.5 * along.x(), 0.5 * along.y(), phi;
    s.v.segment<3>(6 * i) << 0.5 * across, bars.rate;
    if (i == loops) break;
    s.q.segment<3>(6 * i + 3) << i + 0.5 + along.x(), along.y(), 0.0;
    s.v.segment<3>(6 * i + 3) << across, 0.0;
  }
  return s;
}

Mechanism make(int size) {
  if (size < 1) throw Error("n_four_bar_bodies: size = " + std::to_string(size) + ", needs at least 1 loop");
  Assembly assembly;
  const auto add_bar = [&assembly](const std::string& name) {
    const Block bar = assembly.add_coordinates(name, BlockKind::planar_body);
    assembly.add("inertia " + name, PlanarRigidBody{1.0, 1.0 / 12.0}, {bar});
    assembly.add("weight " + name, UniformGravity{1.0, 0.0, -9.81}, {centre_of(bar)});
    return bar;
  };
  Block horizontal;  // the one that ends at B_i
  for (int i = 0; i <= size; ++i) {
    const std::string name = std::to_string(i);
    const Block vertical = add_bar("vertical " + name);
    assembly.add("pin A" + name, RevoluteToGround{-0.5, 0.0, static_cast<double>(i), 0.0}, {vertical});
    if (i > 0) assembly.add("pin B" + name + " left", Revolute{0.5, 0.0, 0.5, 0.0}, {vertical, horizontal});
    if (i == size) break;
    horizontal = add_bar("horizontal " + name);
    assembly.add("pin B" + name + " right", Revolute{0.5, 0.0, -0.5, 0.0}, {vertical, horizontal});
  }
  Mechanism mechanism;
  mechanism.system = assembly.build();
  mechanism.reference = [size](double t) { return std::optional(exact_state(size, t)); };
  mechanism.reference_source = "exact on the regular branch, Jacobi elliptic functions";
  const ReferenceState start = exact_state(size, 0.0);
  mechanism.start.q = start.q;
  mechanism.start.v = start.v;
  mechanism.t_end = 0.6;
  return mechanism;
}

}  // namespace

MechanismEntry make_n_four_bar_bodies() {
  return {make, 2};
}

}  // namespace sunlagrange::mechanisms
