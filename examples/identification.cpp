#include <iostream>
#include <random>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

namespace {

std::shared_ptr<const MechanicalSystem> swing(double length, double damping) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("mass", PointMass{20.0}, {bob});
  assembly.add("weight", UniformGravity{20.0}, {bob});
  assembly.add("rope", DistanceToGround{0.0, 0.0, length}, {bob});
  assembly.add("brake", LinearDamper{damping, AtPoint{}, OnGround{-3.0, -2.5}}, {bob});
  return assembly.build();
}

}  // namespace

/// Identifies the length of a rope, the strength of a brake and the start from 40 noisy positions of the bob.
int main() try {
  const auto real = swing(2.34, 4.0);
  StartValues at_rest(real);
  at_rest.fix("bob.x", 1.25);
  at_rest["bob.y"] = -2.0;
  SimulationOptions options;
  options.t_end = 8.0;
  options.rtol = options.atol = 1e-8;
  const Simulation motion = simulate(real, at_rest, options);
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0.0, 0.01);  // the camera is good to 1 cm
  Measurement x{"bob.x", {}, {}, 0.01}, y{"bob.y", {}, {}, 0.01};
  for (int k = 1; k <= 40; ++k) {
    const Eigen::VectorXd q = motion.trajectory.position_at(0.2 * k);
    x.t.push_back(0.2 * k);
    x.values.push_back(q[0] + noise(random));
    y.t.push_back(0.2 * k);
    y.values.push_back(q[1] + noise(random));
  }

  const auto guess = swing(2.0, 2.0);
  StartValues start(guess);
  start["bob.x"] = 1.1;
  start["bob.y"] = -2.0;
  IdentificationOptions wanted;
  wanted.parameters = {"rope.L", "brake.c"};
  wanted.start_positions = {"bob.x"};
  const Identification found = identify(guess, start, {x, y}, options, wanted);
  if (!found.status.finished()) {
    std::cerr << found.status.message << "\n";
    return 1;
  }
  const double truth[] = {2.34, 4.0, 1.25};
  bool good = found.misfit.empty();
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    const double deviation = found.deviation[static_cast<Eigen::Index>(i)];
    std::cout << found.parameters[i].name << " = " << found.parameters[i].value << " +- " << deviation << " "
              << found.parameters[i].unit << "\n";
    good = good && std::abs(found.parameters[i].value - truth[i]) < 5.0 * deviation;
  }
  std::cout << "what is left over is " << found.noise_factor << " times the stated noise\n";

  wanted.parameters = {"rope.L", "brake.c", "mass.m", "weight.m"};  // who pushes harder at a heavier swing?
  std::cout << identify(guess, start, {x, y}, options, wanted).status.message << "\n";
  return good ? 0 : 1;
} catch (const Error& error) {
  std::cerr << error.what() << "\n";
  return 2;
}
