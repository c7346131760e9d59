#include <array>
#include <cmath>

#include <sunlagrange/elements/coordinate/damper.hpp>
#include <sunlagrange/elements/coordinate/gear.hpp>
#include <sunlagrange/elements/network/compliance.hpp>
#include <sunlagrange/elements/network/gyrator.hpp>
#include <sunlagrange/elements/network/inertia.hpp>
#include <sunlagrange/elements/network/junction.hpp>
#include <sunlagrange/elements/network/resistance.hpp>
#include <sunlagrange/elements/network/source.hpp>
#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>

#include "mechanisms/mechanism.hpp"

/// A DC motor drives a slider-crank through a gear: electrical, rotational and planar elements in one assembly.
///
///      R1 L1   q1   node   q2   R2 L2                 A
///     .--===---------o-----------===---.            .' `-.  rod l = 1.2 m
///     |              | q3              |   motor  .'      `-.
///     u = 24 V       R3 L3 C3         (M)--gear--O - - - - - [S]--> x   slider with friction
///     |              |                 |   1:8   crank a = 0.5 m
///     '--------------o-----------------'         angle phi, gravity 9.81 m/s^2 downwards
///
/// R1 = 0.2, R2 = 0.6, R3 = 5 ohm; L1 = 0.01, L2 = 0.03, L3 = 0.02 H; C3 = 0.05 F; motor k = 0.4 V s, rotor 0.004 kg
/// m^2; crank 1 kg, rod 1.5 kg, both uniform; slider 2 kg, 4 N s/m. At rest without charge at t = 0, phi = 0.6 rad.
/// Charges q1, q2, q3 [C], motor angle [rad], crank and rod (x, y, phi), slider x [m]: n = 11, m = 8 (current law 1,
/// gear 1, pins 6), three degrees of freedom. The multiplier of the current law is the voltage of the node. No closed
/// form; tests/reference/mixed_mechanisms_test.cpp integrates the equations reduced by hand to (phi, q2, q3).
namespace sunlagrange::mechanisms {
namespace {

/// End (s, 0) of a planar body on a slider along the x axis. Coordinates: body, slider x.
struct PinOnSlider {
  double s = 0.5;  ///< from the centre of mass [m]

  static constexpr int num_positions = 4;
  static constexpr int num_constraints = 2;
  static constexpr std::array<BlockKind, 2> blocks{BlockKind::planar_body, BlockKind::translation};

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    using std::cos;
    using std::sin;
    g[0] = q[0] + s * cos(q[2]) - q[3];
    g[1] = q[1] + s * sin(q[2]);
  }
};

void add_circuit(Assembly& assembly, const Block& motor) {
  const Block q1 = assembly.add_coordinates("q1", BlockKind::electrical);
  const Block q2 = assembly.add_coordinates("q2", BlockKind::electrical);
  const Block q3 = assembly.add_coordinates("q3", BlockKind::electrical);
  assembly.add("battery", VoltageSource<>{{24.0, 0.0}}, {q1});
  assembly.add("R1", Resistor{0.2}, {q1});
  assembly.add("L1", Inductor{0.01}, {q1});
  assembly.add("R2", Resistor{0.6}, {q2});
  assembly.add("L2", Inductor{0.03}, {q2});
  assembly.add("motor", DcMotor{0.4}, {q2, motor});
  assembly.add("R3", Resistor{5.0}, {q3});
  assembly.add("L3", Inductor{0.02}, {q3});
  assembly.add("C3", Capacitor{0.05}, {q3});
  assembly.add("node", CurrentLaw<3>{{1.0, -1.0, -1.0}, 0.0}, {q1, q2, q3});
}

Mechanism make(int) {
  constexpr double a = 0.5, l = 1.2, crank_mass = 1.0, rod_mass = 1.5, start = 0.6;
  Assembly assembly;
  const Block motor = assembly.add_coordinates("motor angle", BlockKind::rotation);
  const Block crank = assembly.add_coordinates("crank", BlockKind::planar_body);
  const Block rod = assembly.add_coordinates("rod", BlockKind::planar_body);
  const Block slider = assembly.add_coordinates("slider", BlockKind::translation);
  add_circuit(assembly, motor);
  assembly.add("rotor", Flywheel{0.004}, {motor});
  assembly.add("gear", Gear{8.0, 0.0}, {angle_of(crank), motor});
  assembly.add("crank body", PlanarRigidBody{crank_mass, crank_mass * a * a / 12.0}, {crank});
  assembly.add("rod body", PlanarRigidBody{rod_mass, rod_mass * l * l / 12.0}, {rod});
  assembly.add("slider mass", SlidingMass{2.0}, {slider});
  assembly.add("friction", AxialDamperToGround{4.0}, {slider});
  assembly.add("crank weight", UniformGravity{crank_mass}, {centre_of(crank)});
  assembly.add("rod weight", UniformGravity{rod_mass}, {centre_of(rod)});
  assembly.add("pin O", RevoluteToGround{-0.5 * a, 0.0, 0.0, 0.0}, {crank});
  assembly.add("pin A", Revolute{0.5 * a, 0.0, -0.5 * l, 0.0}, {crank, rod});
  assembly.add("pin S", PinOnSlider{0.5 * l}, {rod, slider});
  Mechanism mechanism;
  mechanism.system = assembly.build();
  const double c = std::cos(start), s = std::sin(start), angle = -std::asin(a * s / l);
  const double x = a * c + l * std::cos(angle);
  mechanism.start.q.resize(11);
  mechanism.start.q << 8.0 * start, 0.5 * a * c, 0.5 * a * s, start, a * c + 0.5 * l * std::cos(angle), 0.5 * a * s,
      angle, x, 0.0, 0.0, 0.0;
  mechanism.t_end = 2.0;
  return mechanism;
}

}  // namespace

MechanismEntry make_dc_motor_slider_crank() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
