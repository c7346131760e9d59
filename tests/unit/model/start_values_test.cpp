// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

namespace {

/// A four-bar: crank 0.3 m, coupler 1 m, rocker 0.8 m, ground 1 m.
std::shared_ptr<const MechanicalSystem> four_bar() {
  Assembly assembly;
  const double length[] = {0.3, 1.0, 0.8};
  const char* name[] = {"crank", "coupler", "rocker"};
  std::vector<Block> rods;
  for (int k = 0; k < 3; ++k) {
    rods.push_back(assembly.add_coordinates(name[k], BlockKind::planar_body));
    assembly.add(std::string("mass of ") + name[k], PlanarRigidBody{1.0, length[k] * length[k] / 12.0}, {rods.back()});
  }
  assembly.add("A", RevoluteToGround{-0.15, 0.0, 0.0, 0.0}, {rods[0]});
  assembly.add("B", Revolute{0.15, 0.0, -0.5, 0.0}, {rods[0], rods[1]});
  assembly.add("C", Revolute{0.5, 0.0, 0.4, 0.0}, {rods[1], rods[2]});
  assembly.add("D", RevoluteToGround{-0.4, 0.0, 1.0, 0.0}, {rods[2]});
  return assembly.build();
}

/// Angle of the rocker against the ground for a crank angle, elbow up: circles about B and D.
double rocker_angle(double crank) {
  const double x = 0.3 * std::cos(crank) - 1.0, y = 0.3 * std::sin(crank);  // B from D
  const double d = std::hypot(x, y);
  const double inner = std::acos((d * d + 0.64 - 1.0) / (2.0 * d * 0.8));
  return std::atan2(y, x) - inner;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_crank_angle_and_its_rate_find_the_rest_of_a_four_bar) {
  const auto system = four_bar();
  const double angle = M_PI / 3.0;
  StartValues start(system);
  start.fix("crank.phi", angle).fix_velocity("crank.phi", 6.0);
  start["crank.x"] = 0.1;
  start["coupler.x"] = start["coupler.y"] = 0.6;
  start["coupler.phi"] = 0.5;
  start["rocker.x"] = 1.1;
  start["rocker.y"] = 0.4;
  start["rocker.phi"] = 1.3;
  SimulationOptions options;
  options.t_end = 0.1;
  const Simulation run = simulate(system, start, options);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  const auto q0 = run.trajectory.q(0), v0 = run.trajectory.v(0);
  const int crank = system->position_indices("crank.phi").front(),
            rocker = system->position_indices("rocker.phi").front();
  BOOST_TEST(q0[crank] == angle);
  BOOST_TEST(v0[crank] == 6.0);
  BOOST_TEST(std::abs(q0[rocker] - rocker_angle(angle)) < 1e-9);
  const double h = 1e-5;
  const double rate = (rocker_angle(angle + h) - rocker_angle(angle - h)) / (2.0 * h) * 6.0;
  BOOST_TEST(std::abs(v0[rocker] - rate) < 1e-7);
}

BOOST_AUTO_TEST_CASE(what_is_not_said_is_at_rest_in_the_ground_axes) {
  Assembly assembly;
  const Block body = assembly.add_coordinates("body", BlockKind::spatial_body);
  const Block slide = assembly.add_coordinates("slide", BlockKind::translation);
  assembly.add("inertia", SpatialRigidBody{}, {body});
  assembly.add("mass", SlidingMass{1.0}, {slide});
  StartValues start(assembly.build(), 2.0);
  start["slide"] = 0.25;
  start.velocity("body.z") = -1.0;
  Eigen::VectorXd q = Eigen::VectorXd::Zero(8), v = q;
  q[3] = 1.0;
  q[7] = 0.25;
  v[2] = -1.0;
  BOOST_TEST(start.state().t == 2.0);
  BOOST_TEST((start.state().q - q).norm() == 0.0);
  BOOST_TEST((start.state().v - v).norm() == 0.0);
}

BOOST_AUTO_TEST_CASE(wrong_names_list_the_right_ones) {
  StartValues start(four_bar());
  const auto says = [](std::initializer_list<const char*> parts) {
    return [parts](const Error& error) {
      for (const char* part : parts) {
        if (std::string(error.what()).find(part) == std::string::npos) return false;
      }
      return true;
    };
  };
  BOOST_CHECK_EXCEPTION(start["crnk.phi"], Error, says({"\"crnk.phi\" is no coordinate", "\"crank.phi\""}));
  BOOST_CHECK_EXCEPTION(start.fix("crank", 1.0), Error, says({"\"crank\" has 3 coordinates, say which"}));
  BOOST_CHECK_THROW(StartValues(nullptr), Error);
}
