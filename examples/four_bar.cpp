#include <iostream>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

int main() try {  // lengths in m, y upwards; pins A and D on the ground, B and C between the bars
  Assembly assembly;
  assembly.gravity(0.0, -9.81);
  const Block crank = assembly.body("crank", PlanarBody{1.0, 1.0 / 12.0});  // coordinates: centre, angle
  const Block rod = assembly.body("rod", PlanarBody{3.0, 27.0 / 12.0});
  const Block rocker = assembly.body("rocker", PlanarBody{2.0, 8.0 / 12.0});
  assembly.add("A", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {crank});
  assembly.add("B", Revolute{0.5, 0.0, -1.5, 0.0}, {crank, rod});
  assembly.add("C", Revolute{1.5, 0.0, 1.0, 0.0}, {rod, rocker});
  assembly.add("D", RevoluteToGround{-1.0, 0.0, 3.0, 0.0}, {rocker});
  assembly.add("motor", PrescribedRate{[](auto) { return 6.0; }}, {angle_of(crank)});  // [rad/s]
  assembly.add("spring", LinearSpring{40.0, 1.0, OnBody{0.0, 0.0}, OnGround{4.0, 0.0}}, {rocker});
  assembly.add("damper", LinearDamper{20.0, OnBody{1.0, 0.0}, OnGround{4.0, 1.0}}, {rocker});
  const auto system = assembly.build();

  StartValues start(system);  // a rough guess: every centre at the origin, but the crank stands at 60 degrees
  start.fix("crank.phi", 1.0472);
  start["rocker.phi"] = 1.5;  // of the two ways to close the loop, the one above the ground

  SimulationOptions options;
  options.t_end = 3.0;
  options.formulation = "ggl";
  const Simulation run = simulate(system, start, options);
  std::cout << run.report.text(run.status) << std::endl;
  if (!run.status.finished()) return 1;  // position_at() beyond the last step would throw

  const MotionState end = consistent_state_at(run.trajectory, system, 3.0).state;
  std::cout << "what joints do to bodies, in ground axes, torques about their centres:\n";
  for (const JointForce& f : joint_forces(system, end.t, end.q, end.v, end.lambda))
    std::cout << f.joint << " on " << f.body << ": " << f.force.head<2>().transpose() << " N, " << f.torque.z()
              << " N m\n";
  std::cout << energy_balance(run.trajectory, system).text();
  write_html(run, system, "four_bar.html");  // the motion with a slider, curves, joint forces: open it in a browser
} catch (const Error& error) {
  std::cerr << error.what() << "\n";
  return 2;
}
