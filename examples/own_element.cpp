#include <array>
#include <cmath>
#include <iostream>

#include <sunlagrange/elements/network/gyrator.hpp>
#include <sunlagrange/elements/network/inertia.hpp>
#include <sunlagrange/elements/network/resistance.hpp>
#include <sunlagrange/elements/network/source.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

/// An element of a user, written like those of the library: a fan on a shaft. It states its energy and its dissipation;
/// mass matrix, forces, derivatives and its terms in the power balance follow.
struct Fan {
  double J = 0.01;     ///< moment of inertia [kg m^2]
  double drag = 2e-4;  ///< torque per square of the speed [N m s^2]

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::rotation};

  template <class T>
  T kinetic_energy(T, View<const T>, View<const T> v) const {
    return 0.5 * J * v[0] * v[0];
  }
  template <class T>
  T dissipation(T, View<const T>, View<const T> v) const {  // its derivative by v is the torque drag v^2
    return drag / 3.0 * v[0] * v[0] * v[0];
  }
};

int main() {
  Assembly assembly;
  const Block charge = assembly.add_coordinates("charge", BlockKind::electrical);
  const Block shaft = assembly.add_coordinates("shaft", BlockKind::rotation);
  assembly.add("battery", VoltageSource<>{{12.0, 0.0}}, {charge});
  assembly.add("winding", Resistor{0.5}, {charge});
  assembly.add("coil", Inductor{0.01}, {charge});
  assembly.add("motor", DcMotor{0.1}, {charge, shaft});
  assembly.add("fan", Fan{}, {shaft});
  const auto system = assembly.build();

  SimulationOptions options;
  options.t_end = 3.0;
  options.rtol = options.atol = 1e-9;
  const Simulation run = simulate(system, {0.0, Eigen::Vector2d::Zero(), {}}, options);
  if (!run.status.finished()) {
    std::cout << run.report.text(run.status);
    return 1;
  }
  const PowerBalance power = power_balance(*system, consistent_state_at(run.trajectory, system, 0.5).state);
  const EnergyBalance energy = energy_balance(run.trajectory, system);
  std::cout << power.text() << "\n" << energy.text();
  return std::abs(power.sum) < 1e-9 * power.magnitude && energy.closure < 1e-6 ? 0 : 1;
}
