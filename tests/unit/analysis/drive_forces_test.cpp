// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <Eigen/Dense>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>

#include "mechanisms/mechanism.hpp"

/// Drive forces of given motions against closed forms, and against the multiplier of a prescribed coordinate.
using namespace sunlagrange;
using Eigen::VectorXd;

namespace {

constexpr double gravity = 9.81, mass = 2.0, length = 0.5;

/// A point on a rod, and the arm beside it whose angle the rod follows through a gear-like row: twice, if redundant.
struct ArmWithHand {
  bool twice = false;
  int num_positions() const { return 3; }  // angle, x, y
  int num_constraints() const { return twice ? 4 : 2; }
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(1, 1) = M(2, 2) = mass;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[2] = -mass * gravity;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1] - length * sin(q[0]);
    g[1] = q[2] + length * cos(q[0]);
    if (twice) {
      g[2] = 2.0 * g[0];
      g[3] = g[0] + g[1];
    }
  }
};

std::vector<double> times_to(double end, int count) {
  std::vector<double> times;
  for (int k = 0; k <= count; ++k) times.push_back(end * k / count);
  return times;
}

}  // namespace

// M = m l^2 s'' + m g l sin(s), by a law, and by a table of it within the error of its spline.
BOOST_AUTO_TEST_CASE(torque_of_a_pendulum) {
  const Harmonic swing{0.2, 1.4, 3.0, 0.5};
  const std::vector<double> times = times_to(2.0, 400);
  std::vector<double> values;
  for (const double t : times) values.push_back(swing(t));
  for (const bool twice : {false, true}) {
    const auto system = make_system(ArmWithHand{twice});
    const std::string angle = system->position_name(0);
    const double first = swing(0.0);
    const InitialState start{0.0, Eigen::Vector3d(first, length * std::sin(first), -length * std::cos(first))};
    const DriveForces exact = drive_forces(system, start, {{angle, swing}}, times);
    const DriveForces table = drive_forces(system, start, {{angle, MotionTable(times, values)}}, times);
    BOOST_REQUIRE_MESSAGE(exact.status.finished(), exact.status.message);
    BOOST_REQUIRE_MESSAGE(table.status.finished(), table.status.message);
    BOOST_REQUIRE_EQUAL(exact.states.size(), times.size());
    BOOST_REQUIRE_EQUAL(exact.drives.size(), times.size());
    for (std::size_t k = 0; k < times.size(); ++k) {
      const double phase = swing.omega * times[k] + swing.phase, s = swing(times[k]);
      const double rate = swing.amplitude * swing.omega * std::cos(phase);
      const double bend = -swing.amplitude * swing.omega * swing.omega * std::sin(phase);
      const double torque = mass * length * length * bend + mass * gravity * length * std::sin(s);
      BOOST_TEST(std::abs(exact.drives[k].drive[0] - torque) < 1e-9);
      BOOST_TEST(std::abs(exact.drives[k].power - torque * rate) < 1e-8);
      BOOST_TEST(exact.drives[k].missing < 1e-10);
      const Taylor<double> given = swing(Taylor<double>(times[k], 1.0, 0.0));  // to the last digit, no rounding on top
      BOOST_TEST(exact.states[k].v[0] == given.c1);
      BOOST_TEST(exact.states[k].a[0] == 2.0 * given.c2);
      BOOST_TEST(std::abs(exact.states[k].v[0] - rate) < 1e-11);
      BOOST_TEST(std::abs(exact.states[k].a[0] - bend) < 1e-10);
      BOOST_TEST(exact.states[k].t == times[k]);
      BOOST_TEST(std::abs(table.drives[k].drive[0] - torque) < 1e-2);  // also at the ends, where it is largest
    }
    BOOST_TEST(std::isnan(exact.table_error));
    BOOST_TEST(table.status.message.empty(), table.status.message);
  }
}

// The multiplier of a coordinate that a run prescribes is the drive, with the other sign; rows move, too.
BOOST_AUTO_TEST_CASE(as_a_prescribed_coordinate_needs) {
  const auto build = [](bool driven) {
    Assembly assembly;
    const Block crank = assembly.add_coordinates("crank", BlockKind::planar_body);
    const Block hand = assembly.add_coordinates("hand", BlockKind::planar_point);
    assembly.add("crank body", PlanarRigidBody{1.5, 0.1}, {crank});
    assembly.add("crank weight", UniformGravity{1.5}, {centre_of(crank)});
    assembly.add("pin", RevoluteToGround{-0.3, 0.0, 0.0, 0.0}, {crank});
    assembly.add("hand mass", PointMass{0.7}, {hand});
    assembly.add("rod", DistanceBetween{0.8, OnBody{0.3, 0.0}, AtPoint{}}, {crank, hand});
    assembly.add("guide", PrescribedCoordinate{TimeLaw(Harmonic{0.1, 0.05, 2.0, 0.0})}, {coordinate_of(hand, 1)});
    if (driven) assembly.add("motor", PrescribedCoordinate{TimeLaw(Uniform{0.4, 2.5})}, {angle_of(crank)});
    return assembly.build();
  };
  const auto free = build(false), held = build(true);
  VectorXd q(5);
  q << 0.3 * std::cos(0.4), 0.3 * std::sin(0.4), 0.4, 1.3, 0.1;
  SimulationOptions options;
  options.formulation = "projected";
  options.integrator = "dopri5";
  options.rtol = options.atol = 1e-10;
  options.t_end = 1.5;
  const Simulation run = simulate(held, {0.0, q}, options);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  const DriveForces found = drive_forces(free, {0.0, q}, {{"crank.phi", Uniform{0.4, 2.5}}}, times_to(1.5, 3));
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  const int motor = held->num_constraints() - 1;
  BOOST_REQUIRE(held->constraint_name(motor).find("motor") != std::string::npos);
  for (const MotionState& state : found.states) {
    const MotionState along = consistent_state_at(run.trajectory, held, state.t).state;
    BOOST_TEST((along.q - state.q).norm() < 1e-7);
    BOOST_TEST((along.v - state.v).norm() < 1e-6);
    BOOST_TEST((along.a - state.a).norm() < 1e-5);
    const auto k = static_cast<std::size_t>(&state - found.states.data());
    BOOST_TEST(std::abs(found.drives[k].drive[0] + along.lambda[motor]) < 1e-5);
  }
}

// Rough grids are followed piece by piece: no other way of assembling is jumped to.
BOOST_AUTO_TEST_CASE(wide_steps_stay_on_the_way) {
  const auto slider = mechanisms::find_mechanism("slider_crank").make(0);
  const double begin = slider.start.q[0];
  const DriveForces found = drive_forces(slider.system, slider.start, {{"q", Uniform{begin, 2.0}}}, times_to(6.0, 3));
  BOOST_REQUIRE_MESSAGE(found.status.finished(), found.status.message);
  for (const MotionState& state : found.states) {
    const double y = 0.5 * std::sin(state.q[0]);
    BOOST_TEST(std::abs(state.q[1] - (0.5 * std::cos(state.q[0]) + std::sqrt(1.0 - y * y))) < 1e-8);
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_followed) {
  const auto slider = mechanisms::find_mechanism("slider_crank").make(0);
  const double x = slider.start.q[1];
  const auto outcome = [&](const std::vector<GivenMotion>& motions) {
    const DriveForces found = drive_forces(slider.system, slider.start, motions, times_to(1.0, 10));
    BOOST_TEST(!found.status.finished());
    BOOST_TEST(found.states.size() == found.drives.size());
    BOOST_TEST(found.states.size() < 11U);
    BOOST_TEST(!found.status.message.empty());
    return found;
  };
  const DriveForces far = outcome({{"x", Uniform{x, 2.0}}});  // beyond the stretched pose
  BOOST_TEST(far.states.size() > 0U);
  BOOST_TEST((outcome({{"q", Uniform{slider.start.q[0], 1.0}}, {"x", Uniform{x, 1.0}}}).states.size() < 2U));
  const auto pendulum = make_system(ArmWithHand{});
  const InitialState start{0.0, Eigen::Vector3d(0.0, 0.0, -length)};
  const auto refused = [&](const std::vector<GivenMotion>& motions, const std::vector<double>& times) {
    BOOST_CHECK_THROW(drive_forces(pendulum, start, motions, times), Error);
  };
  refused({}, {0.0});
  refused({{"nothing", Constant{}}}, {0.0});
  refused({{pendulum->position_name(0), Constant{}}}, {});
  refused({{pendulum->position_name(0), Constant{}}}, {0.0, 0.0});
  refused({{pendulum->position_name(0), Constant{}}, {pendulum->position_name(0), Constant{}}}, {0.0});
  BOOST_CHECK_THROW(drive_forces(nullptr, start, {{"q", Constant{}}}, {0.0}), Error);
  // hanging straight down its height does not tell where it goes
  const DriveForces dead = drive_forces(pendulum, start, {{pendulum->position_name(2), Constant{-length}}}, {0.0});
  BOOST_TEST((dead.status.outcome == Outcome::rank_loss), dead.status.message);
  DriveForcesOptions options;
  options.keep_going = [](double t) { return t < 0.5; };
  const DriveForces cut =
      drive_forces(pendulum, start, {{pendulum->position_name(0), Uniform{0.0, 0.1}}}, times_to(1.0, 10), options);
  BOOST_TEST((cut.status.outcome == Outcome::interrupted));
  BOOST_TEST(cut.states.size() == 5U);
}

// A cubic is its own spline, up to the ends, whatever the times.
BOOST_AUTO_TEST_CASE(tables_are_exact_for_cubics) {
  for (const std::size_t count : {4U, 5U, 9U}) {
    std::vector<double> times, values;
    for (std::size_t k = 0; k < count; ++k) {
      const auto x = static_cast<double>(k);
      times.push_back(0.3 * x + 0.02 * x * x);
      values.push_back(1.0 - times[k] * (2.0 - times[k] * (0.5 + 3.0 * times[k])));
    }
    const MotionTable table(times, values);
    for (const double share : {0.0, 0.1, 0.5, 0.93, 1.0}) {
      const double t = times.back() * share;
      const Taylor<double> s = table(Taylor<double>(t, 1.0, 0.0));
      BOOST_TEST(std::abs(s.c0 - (1.0 - t * (2.0 - t * (0.5 + 3.0 * t)))) < 1e-12);
      BOOST_TEST(std::abs(s.c1 - (-2.0 + t + 9.0 * t * t)) < 1e-11);
      BOOST_TEST(std::abs(2.0 * s.c2 - (1.0 + 18.0 * t)) < 1e-10);
    }
    if (count >= 8U) BOOST_TEST(table.acceleration_error() < 1e-12);
  }
}

// Second order up to the ends, and the table knows how far it is off.
BOOST_AUTO_TEST_CASE(tables_know_their_error) {
  double before = 0.0;
  for (const int count : {20, 40, 80}) {
    std::vector<double> values;
    for (const double t : times_to(2.0, count)) values.push_back(0.8 * std::cos(3.0 * t));
    const MotionTable table(times_to(2.0, count), values);
    double off = 0.0;
    for (const double t : times_to(2.0, count))
      off = std::max(off, std::abs(2.0 * table(Taylor<double>(t, 1.0, 0.0)).c2 + 7.2 * std::cos(3.0 * t)) / 7.2);
    BOOST_TEST(table.acceleration_error() > off / 3.0);
    BOOST_TEST(table.acceleration_error() < off * 3.0);
    if (before > 0.0) BOOST_TEST(off < before / 3.3);
    before = off;
  }
}

BOOST_AUTO_TEST_CASE(tables_that_are_no_motion) {
  const auto refused = [](const std::vector<double>& times, const std::vector<double>& values) {
    BOOST_CHECK_THROW(MotionTable(times, values), Error);
  };
  refused({}, {});
  refused({0.0, 1.0, 2.0}, {0.0, 1.0, 2.0});
  refused({0.0, 1.0, 2.0, 3.0}, {0.0, 1.0, 2.0});
  refused({0.0, 1.0, 1.0, 3.0}, {0.0, 1.0, 2.0, 3.0});
  refused({0.0, 1.0, 2.0, 3.0}, {0.0, 1.0, std::nan(""), 3.0});
  const auto pendulum = make_system(ArmWithHand{});
  const InitialState start{0.0, Eigen::Vector3d(0.0, 0.0, -length)};
  const std::string angle = pendulum->position_name(0);
  const MotionTable table({0.0, 1.0, 2.0, 3.0}, {0.0, 0.1, 0.2, 0.3});
  BOOST_CHECK_THROW(drive_forces(pendulum, start, {{angle, table}}, {0.0, 3.1}), Error);
  BOOST_CHECK_THROW(drive_forces(pendulum, start, {{angle, SplineTable({0.0}, {1.0})}}, {0.0}), Error);
}

BOOST_AUTO_TEST_CASE(what_is_not_determined_is_not_made_up) {
  const auto slider = mechanisms::find_mechanism("slider_crank").make(0);
  // x comes close to the stretched pose between two times and goes back
  const double x = slider.start.q[1];
  std::vector<double> values;
  const std::vector<double> times = times_to(1.0, 40);
  for (const double t : times) values.push_back(x + (1.4995 - x) * std::sin(3.14159265358979 * t));
  const DriveForces near_dead = drive_forces(slider.system, slider.start, {{"x", MotionTable(times, values)}}, times);
  BOOST_REQUIRE_MESSAGE(near_dead.status.finished(), near_dead.status.message);
  BOOST_TEST(near_dead.status.message.find("dead point") != std::string::npos, near_dead.status.message);
  BOOST_TEST(near_dead.regularity[20] < 0.1 * near_dead.regularity[0]);

  const auto sledge = mechanisms::find_mechanism("knife_edge").make(0);
  const std::string x_name = sledge.system->position_name(0), phi = sledge.system->position_name(2);
  const DriveForces way = drive_forces(
      sledge.system, sledge.start, {{x_name, Uniform{sledge.start.q[0], 0.1}}, {phi, Uniform{sledge.start.q[2], 0.5}}},
      times_to(1.0, 10));
  BOOST_TEST((way.status.outcome == Outcome::rank_loss));
  BOOST_TEST(way.status.message.find("velocity constraints") != std::string::npos, way.status.message);

  const DriveForces two = drive_forces(
      slider.system, slider.start, {{"q", Uniform{slider.start.q[0], 1.0}}, {"x", Uniform{x, 1.0}}}, times_to(1.0, 10));
  BOOST_TEST(two.status.message.find("leave 1 degrees of freedom, and 2 motions") != std::string::npos, two.status.message);
}

// Which of the reasons it is: too many motions, a target out of reach, or a law that overflows.
BOOST_AUTO_TEST_CASE(the_reason_is_told) {
  const auto said = [](const mechanisms::Mechanism& of, const std::vector<GivenMotion>& motions) {
    const DriveForces found = drive_forces(of.system, of.start, motions, times_to(0.5, 2));
    BOOST_TEST(!found.status.finished());
    return found.status.message;
  };
  const auto mentions = [](const std::string& message, const char* part) {
    return message.find(part) != std::string::npos;
  };
  const auto arm = mechanisms::find_mechanism("chain").make(2);
  const std::vector<GivenMotion> far = {{"rod 2.x", Uniform{5.0, 1.0}}, {"rod 2.y", Constant{0.3}}};
  BOOST_TEST(mentions(said(arm, far), "rod 2.x = 5, rod 2.y = 0.3 is out of reach"), said(arm, far));
  BOOST_TEST(!mentions(said(arm, far), "motions are given"), said(arm, far));
  std::vector<GivenMotion> three = far;
  three.push_back({"rod 1.x", Constant{-3.0}});
  BOOST_TEST(mentions(said(arm, three), "3 motions are given, and the mechanism has 2 degrees of freedom"), said(arm, three));
  const std::vector<GivenMotion> huge = {{"rod 1.phi", Constant{0.0}}, {"rod 2.phi", Harmonic{1e308, 1e308, 1.0, 1.5}}};
  BOOST_TEST(mentions(said(arm, huge), "given for rod 2.phi overflows"), said(arm, huge));
}
