// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>

#include "formulation/formulation.hpp"
#include "models.hpp"

/// Nothing may depend on the units in which a model is written: the same mechanism in other units of length and mass,
/// the tolerances along with them, takes the same steps to the same places. An absolute threshold, penalty,
/// regularisation or cutoff anywhere on the way shows here. (Time is left out: atol is meant in units of q and of v.)
using namespace sunlagrange;
using namespace sunlagrange::internal;

namespace {

struct Units {
  double length, mass;
  bool exact = true;  // a power of two: scales without rounding
};

std::shared_ptr<const MechanicalSystem> double_pendulum(const Units& u) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", 2);
  const Block b = assembly.add_coordinates("b", 2);
  const double gravity = -9.81 * u.length;
  assembly.add("mass of a", PointMass{u.mass}, {a});
  assembly.add("mass of b", PointMass{0.5 * u.mass}, {b});
  assembly.add("weight of a", UniformGravity{u.mass, 0.0, gravity}, {a});
  assembly.add("weight of b", UniformGravity{0.5 * u.mass, 0.0, gravity}, {b});
  assembly.add("upper", DistanceToGround{0.0, 0.0, u.length}, {a});
  assembly.add("lower", Distance{u.length}, {a, b});
  return assembly.build();
}

Simulation run_in(const Units& u, const FormulationEntry& form, const char* solver) {
  InitialState start;
  start.q = u.length * Eigen::Vector4d(0.6, -0.8, 1.4, -1.4);
  start.v = u.length * Eigen::Vector4d(0.8, 0.6, -0.3, 0.4);
  SimulationOptions options;
  options.formulation = std::string(form.name);
  options.linear_solver.name = solver;
  options.rtol = 1e-8;
  options.atol = 1e-8 * u.length;
  options.t_end = 1.0;
  options.step = 2e-3;
  return simulate(double_pendulum(u), start, options);
}

}  // namespace

BOOST_AUTO_TEST_CASE(p27_trajectories_do_not_depend_on_units_of_length_and_mass) {
  // Millimetres and the like change roundings, and with them a decision of the step control now and then; then two runs
  // agree to their own error only.
  const Units others[] = {{1024.0, 1.0},     {1.0 / 1024.0, 1.0}, {1.0, 1024.0},     {1.0, 0x1p-20},
                          {1e3, 1.0, false}, {1e-3, 1e-3, false}, {1e3, 1e-6, false}};
  for (const FormulationEntry& form : formulation_registry()) {
    for (const char* solver : {"dense", "klu", "block"}) {
      if (!linear_solver(solver).available) continue;
      const std::string objection = form.objection(*double_pendulum({1.0, 1.0}));
      if (!objection.empty()) {
        BOOST_TEST_MESSAGE("left out: " << objection);
        continue;
      }
      const Simulation plain = run_in({1.0, 1.0}, form, solver);
      BOOST_REQUIRE_MESSAGE(plain.status.finished(), plain.status.message);
      for (const Units& u : others) {
        BOOST_TEST_CONTEXT(form.name << ", " << solver << ", length x " << u.length << ", mass x " << u.mass) {
          const Simulation run = run_in(u, form, solver);
          BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
          if (u.exact) BOOST_TEST(run.report.steps == plain.report.steps);
          const double own_error = form.accuracy.velocities_controlled ? 1e-6 : 1e-4;
          const double allowed = u.exact ? 1e-12 : own_error;
          for (double t = 0.0; t <= 1.0; t += 0.125) {
            const double change = (run.trajectory.position_at(t) / u.length - plain.trajectory.position_at(t)).norm();
            BOOST_TEST(change < allowed, "t = " << t << ": " << change);
          }
          const auto lambda = [](const Simulation& r) { return r.trajectory.lambda(r.trajectory.size() - 1); };
          BOOST_TEST((lambda(run) / u.mass - lambda(plain)).norm() < 100.0 * allowed * lambda(plain).norm());
        }
      }
    }
  }
}
