// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/network.hpp>

#include "kinds/integration.hpp"
#include "kinds/motion.hpp"

/// Circuits, a motor and a hydraulic press.
namespace sunlagrange::test::kinds {
namespace {

constexpr Real milli = 1e-3L;  // charges are counted in mC

/// A capacitor is charged through a resistor; nothing has inertia.
Motion charging(Draw& draw) {
  const double C = draw.power_of_ten(-6.0, -2.0), R = draw.power_of_ten(0.0, 4.0), u = draw.between(-20.0, 20.0);
  const double charge = C * draw.between(-20.0, 20.0);
  Motion motion;
  Assembly assembly;
  const Block branch = assembly.add_coordinates("branch", BlockKind::electrical);
  assembly.add("source", effort_source<BlockKind::electrical>(Constant{u}), {branch});
  assembly.add("capacitor", Capacitor{C, 0.0}, {branch});
  assembly.add("resistor", massless_branch<BlockKind::electrical>(R, ChargedThrough{u, C}), {branch});
  motion.system = assembly.build();
  motion.t_end = draw.between(0.5, 20.0) * R * C;
  motion.reduced = {charge / milli};
  motion.follow = [=](const State& y, Real from, Real to) {
    const Real full = Real(C) * u / milli;
    return State{full + (y[0] - full) * std::exp(-(to - from) / (Real(R) * C))};
  };
  motion.positions = [](const State& y, Real) { return vector_of({y[0] * milli}); };
  motion.scales = Eigen::VectorXd::Constant(1, 1e-3);
  motion.start.q = Eigen::VectorXd::Constant(1, charge);
  motion.start.v = Eigen::VectorXd::Constant(1, (u - charge / C) / R);
  motion.text = "RC " + text(R * C) + " s";
  return motion;
}

/// A DC motor starts from rest, or is switched on while it turns, and drives a load by a gear.
Motion motor(Draw& draw) {
  const double L = draw.power_of_ten(-4.0, -1.0), R = draw.power_of_ten(-1.0, 1.0), k = draw.power_of_ten(-2.0, 0.0);
  const double rotor = draw.power_of_ten(-4.0, -1.0), load = draw.power_of_ten(-3.0, 0.0);
  const double ratio = draw.between(0.1, 2.0), d = draw.power_of_ten(-4.0, -1.0), u = draw.between(-24.0, 24.0);
  const double rate = draw.chance(0.5) ? 0.0 : draw.between(-10.0, 10.0);
  const Real inertia = rotor + Real(ratio) * ratio * load, damping = Real(ratio) * ratio * d;
  Motion motion;
  Assembly assembly;
  const Block coil = assembly.add_coordinates("coil", BlockKind::electrical);
  const Block shaft = assembly.add_coordinates("shaft", BlockKind::rotation);
  const Block drum = assembly.add_coordinates("drum", BlockKind::rotation);
  assembly.add("inductor", Inductor{L}, {coil});
  assembly.add("resistor", Resistor{R}, {coil});
  assembly.add("source", effort_source<BlockKind::electrical>(Constant{u}), {coil});
  assembly.add("motor", DcMotor{k}, {coil, shaft});
  assembly.add("rotor", Flywheel{rotor}, {shaft});
  assembly.add("load", Flywheel{load}, {drum});
  assembly.add("bearing", RotationalDamperToGround{d}, {drum});
  assembly.add("wheels", Gear{ratio}, {shaft, drum});
  motion.system = assembly.build();
  const double slow = as_double(inertia * R / (Real(k) * k + damping * R));
  motion.t_end = std::min(draw.between(0.5, 10.0) * slow, 3000.0 * L / R);
  motion.reduced = {0, 0, 0, rate};  // charge [mC], its rate, angle, its rate
  motion.follow = [=](State y, Real from, Real to) {
    return integrated(
        [=](Real, const State& at) {
          const Real current = at[1] * milli;
          return State{at[1], (u - R * current - k * at[3]) / (L * milli), at[3],
                       (k * current - damping * at[3]) / inertia};
        },
        std::move(y), from, to);
  };
  motion.positions = [ratio](const State& y, Real) { return vector_of({y[0] * milli, y[2], ratio * y[2]}); };
  motion.start.q = Eigen::VectorXd::Zero(3);
  motion.start.v = Eigen::Vector3d(0.0, rate, ratio * rate);
  motion.scales = Eigen::Vector3d(1e-3, 1.0, 1.0);
  motion.text = "R / L " + text(R / L) + " 1/s, run of " + text(motion.t_end) + " s";
  return motion;
}

/// A pump of constant pressure moves a piston through a pipe, against a spring.
Motion press(Draw& draw) {
  const double area = draw.power_of_ten(-3.0, -2.0), mass = draw.power_of_ten(0.0, 2.0);
  const double rate = draw.between(2.0, 20.0), stiffness = mass * rate * rate;
  const double pressure = draw.between(0.05, 0.3) * stiffness / area;
  const double inertance = draw.power_of_ten(-2.0, 0.5) * mass / (area * area);
  const double resistance = draw.power_of_ten(-2.0, 1.0) * mass * rate / (area * area);
  Motion motion;
  Assembly assembly;
  const Block piston = assembly.add_coordinates("piston", BlockKind::translation);
  const Block volume = assembly.add_coordinates("volume", BlockKind::hydraulic);
  assembly.add("mass", SlidingMass{mass}, {piston});
  assembly.add("spring", AxialSpringToGround{stiffness, 0.0}, {piston});
  assembly.add("cylinder", Piston{area}, {piston, volume});
  assembly.add("pump", effort_source<BlockKind::hydraulic>(Constant{pressure}), {volume});
  assembly.add("fluid", HydraulicInertance{inertance}, {volume});
  assembly.add("pipe", HydraulicResistance{resistance}, {volume});
  motion.system = assembly.build();
  motion.t_end = draw.between(0.5, 10.0) / rate;
  motion.reduced = {0, 0};
  const Real total = mass + Real(area) * area * inertance, damping = Real(area) * area * resistance;
  motion.follow = [=](State y, Real from, Real to) {
    return integrated(
        [=](Real, const State& at) {
          return State{at[1], (pressure * area - stiffness * at[0] - damping * at[1]) / total};
        },
        std::move(y), from, to);
  };
  motion.positions = [area](const State& y, Real) { return vector_of({y[0], area * y[0]}); };
  motion.scales = Eigen::Vector2d(1.0, 1e-3);
  motion.start.q = motion.start.v = Eigen::VectorXd::Zero(2);
  return motion;
}

}  // namespace

std::vector<Kind> networks() {
  return {{"capacitor that is charged", charging}, {"motor", motor}, {"hydraulic press", press}};
}

}  // namespace sunlagrange::test::kinds
