// The code in the comments of the classes that make a run: SimulationOptions, Simulation, Event, Stepper. A test
// compares the comments with this file.

#include <algorithm>
#include <iostream>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

int main() try {
  Assembly assembly;
  const Block arm = assembly.add_coordinates("arm", BlockKind::planar_body);
  assembly.add("inertia", PlanarRigidBody{1.0, 0.1}, {arm});
  assembly.add("weight", UniformGravity{1.0}, {centre_of(arm)});
  assembly.add("pin", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {arm});
  assembly.add("motor", AppliedTorque{Input{}}, {angle_of(arm)});
  const std::shared_ptr<const MechanicalSystem> system = assembly.build();
  const InitialState start{0.0, Eigen::Vector3d(0.5, 0.0, 0.0), {}};

  SimulationOptions options;
  options.t_end = 2.0;
  options.rtol = options.atol = 1e-8;
  options.keep_going = [](double t) { return t < 1e6; };

  const Simulation run = simulate(system, start, options);
  if (!run.status.finished()) std::cerr << run.status.message << "\n";
  for (const Doubt& doubt : run.status.doubts) std::cerr << doubt.text << "\n";
  std::cout << "angle at the end: " << run.trajectory.q(run.trajectory.size() - 1)[2] << "\n";

  Event lowest;
  lowest.name = "lowest";
  lowest.root = [](const EventPoint& p) { return p.q()[0]; };
  lowest.crossing = Crossing::falling;
  lowest.action = [](EventContext& c) { c.stop("the arm hangs down"); };
  options.events = {lowest};

  Stepper stepper(system, start, options);
  while (!stepper.over()) {
    stepper.set("motor", -0.2 * stepper.read("arm.phi'"));
    if (!stepper.advance_to(std::min(stepper.time() + 0.01, options.t_end))) break;
  }
  const Simulation controlled = stepper.finish();
  std::cout << controlled.report.text(controlled.status);
  return run.status.finished() && controlled.status.finished() ? 0 : 1;
} catch (const Error& error) {
  std::cerr << error.what() << "\n";
  return 2;
}
