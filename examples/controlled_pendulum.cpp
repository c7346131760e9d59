// A bar on a pin, held upright by a motor whose controller samples the motion every 10 ms, as a real one does: it reads
// angle and rate, computes a torque within what the motor can give, and the motor holds it until the next sample. The
// loop runs in real time with the option --real-time.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

int main(int argc, char** argv) try {
  const bool real_time = argc > 1 && std::strcmp(argv[1], "--real-time") == 0;
  const double upright = std::acos(0.0);  // angle of the bar from the x axis [rad]
  const double sample = 0.01;             // [s]
  const double strongest = 12.0;          // torque of the motor [N m]

  Assembly assembly;
  const Block bar = assembly.add_coordinates("bar", BlockKind::planar_body);
  assembly.add("inertia", PlanarRigidBody{2.0, 2.0 / 12.0}, {bar});  // 2 kg, 1 m
  assembly.add("weight", UniformGravity{2.0}, {centre_of(bar)});
  assembly.add("pin", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {bar});
  assembly.add("bearing", RotationalFrictionToGround{0.05, 1e-3}, {angle_of(bar)});
  assembly.add("motor", AppliedTorque{Input{}}, {angle_of(bar)});
  const auto system = assembly.build();

  StartValues start(system);
  start.fix("bar.phi", upright + 0.4);
  start["bar.y"] = 0.5;
  SimulationOptions options;
  options.t_end = 3.0;
  options.record = Record::ends_only;
  Stepper stepper(system, start, options);

  const auto begin = std::chrono::steady_clock::now();
  double largest_torque = 0.0, slowest = 0.0;  // [N m], [s]
  for (int k = 1; k <= 300; ++k) {
    const auto now = std::chrono::steady_clock::now();
    const double torque = -60.0 * (stepper.read("bar.phi") - upright) - 9.0 * stepper.read("bar.phi'");
    stepper.set("motor", std::clamp(torque, -strongest, strongest));
    if (!stepper.advance_to(k * sample)) break;
    largest_torque = std::max(largest_torque, std::fabs(stepper.read("motor")));
    slowest = std::max(slowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - now).count());
    if (k % 50 == 0) {
      std::printf("t = %.1f s: %7.4f rad from upright, motor %7.3f N m, pin bears %7.3f N\n", stepper.time(),
                  stepper.read("bar.phi") - upright, stepper.read("motor"), stepper.read("force:pin:bar.y"));
    }
    if (real_time) std::this_thread::sleep_until(begin + std::chrono::duration<double>(k * sample));
  }
  const double left = std::fabs(stepper.read("bar.phi") - upright);
  const double borne = stepper.read("force:pin:bar.y");
  const Simulation run = stepper.finish();
  std::printf("%s\n", run.report.verdict(run.status).c_str());
  std::printf("largest torque %.2f N m; slowest sample %.2f ms of %.0f\n", largest_torque, 1e3 * slowest, 1e3 * sample);
  return run.status.has_no_doubts() && left < 1e-2 && std::fabs(borne - 2.0 * 9.81) < 1e-2 ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
