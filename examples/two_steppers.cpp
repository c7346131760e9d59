// Co-simulation: a flywheel and a pendulum, each a run of its own with its own integrator, are joined by an elastic
// shaft that neither of them knows. They exchange its torque every H seconds. Each interval is done twice: with the
// torque at its begin, then, from where it began, with the mean of begin and end; so the error falls with the square of
// H. The result is compared with the same mechanism as one system.

#include <cmath>
#include <cstdio>
#include <initializer_list>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

namespace {

constexpr double stiffness = 5.0;  // of the shaft [N m/rad]
constexpr double damping = 0.1;    // [N m s/rad]
constexpr double t_end = 2.0;

Block add_flywheel(Assembly& assembly) {
  const Block wheel = assembly.add_coordinates("wheel", BlockKind::rotation);
  assembly.add("wheel inertia", Flywheel{0.4}, {wheel});
  return wheel;
}

Block add_pendulum(Assembly& assembly) {
  const Block bar = assembly.add_coordinates("bar", BlockKind::planar_body);
  assembly.add("inertia", PlanarRigidBody{2.0, 2.0 / 12.0}, {bar});
  assembly.add("weight", UniformGravity{2.0}, {centre_of(bar)});
  assembly.add("pin", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {bar});
  return bar;
}

SimulationOptions options_of(const char* formulation) {
  SimulationOptions options;
  options.t_end = t_end;
  options.rtol = options.atol = 1e-9;
  options.formulation = formulation;
  return options;
}

Eigen::Vector3d bar_horizontal() {
  return {0.5, 0.0, 0.0};
}

/// Angle of the bar at the end, of the mechanism as one.
double together() {
  Assembly assembly;
  const Block wheel = add_flywheel(assembly), bar = add_pendulum(assembly);
  assembly.add("shaft", TorsionSpring{stiffness}, {wheel, angle_of(bar)});
  assembly.add("loss", RotationalDamper{damping}, {wheel, angle_of(bar)});
  Eigen::VectorXd q(4);
  q << 0.0, bar_horizontal();
  const Simulation run = simulate(assembly.build(), {0.0, q, {}}, options_of("ggl"));
  return run.trajectory.position_at(t_end)[3];
}

/// The same of two runs that exchange a torque every H seconds.
double apart(double H) {
  Assembly first, second;
  first.add("shaft", AppliedTorque{Input{}}, {add_flywheel(first)});
  const Block bar = add_pendulum(second);
  second.add("shaft", AppliedTorque{Input{}}, {angle_of(bar)});
  Stepper wheel(first.build(), {0.0, Eigen::VectorXd::Zero(1), {}}, options_of("baumgarte"));
  Stepper pendulum(second.build(), {0.0, bar_horizontal(), {}}, options_of("ggl"));

  const auto torque_on_bar = [&] {
    return stiffness * (wheel.read("wheel") - pendulum.read("bar.phi")) +
           damping * (wheel.read("wheel'") - pendulum.read("bar.phi'"));
  };
  const auto advance = [&](double t, double torque) {
    wheel.set("shaft", -torque);
    pendulum.set("shaft", torque);
    return wheel.advance_to(t) && pendulum.advance_to(t);
  };
  const int intervals = static_cast<int>(std::lround(t_end / H));
  for (int k = 1; k <= intervals; ++k) {
    const double t = k < intervals ? k * H : t_end;
    const Checkpoint wheel_before = wheel.save(), pendulum_before = pendulum.save();
    const double at_begin = torque_on_bar();
    if (!advance(t, at_begin)) return NAN;
    const double at_end = torque_on_bar();
    wheel.restore(wheel_before);
    pendulum.restore(pendulum_before);
    if (!advance(t, 0.5 * (at_begin + at_end))) return NAN;
  }
  return pendulum.read("bar.phi");
}

}  // namespace

int main() try {
  const double exact = together();
  std::printf("angle of the bar at t = %g s: %.9f rad as one mechanism\n", t_end, exact);
  double before = NAN;
  bool second_order = true;
  for (const double H : {0.04, 0.02, 0.01}) {
    const double error = std::fabs(apart(H) - exact);
    std::printf("two runs, torque exchanged every %4.0f ms: error %.2e rad\n", 1e3 * H, error);
    if (!std::isnan(before)) second_order = second_order && error < before / 3.0;
    before = error;
  }
  return second_order && before < 1e-3 ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
