// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <sunlagrange/elements/planar/rigid_body.hpp>

#include "event_systems.hpp"

/// Unilateral contacts: they close, come to rest, open, several at once.
using namespace sunlagrange;
using namespace sunlagrange::test;
using Eigen::Vector2d;
using Eigen::VectorXd;

namespace {

/// A point of a plank (x, y, angle), at s from its centre, must stay above the ground.
struct Support {
  double s = 0.0;
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1] + s * sin(q[2]);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_contact_at_rest_opens_when_its_multiplier_changes_sign) {
  const double lift = 2.0 * gravity;  // lifts off at t = 0.5, then y'' = lift (t - 0.5)
  for (const Method& method : methods) {
    BOOST_TEST_CONTEXT(method) {
      SimulationOptions options = options_of(method, 1.0);
      options.events = {unilateral_contact("floor", 0.5)};
      const Simulation run = simulate(ball(0.5 * M_PI, lift), {0.0, Vector2d(0.0, 0.0), Vector2d(1.0, 0.0)}, options);
      BOOST_TEST(run.status.finished(), run.status.message);
      BOOST_REQUIRE(run.report.events.size() == 2U);
      BOOST_TEST(run.report.events[0].t == 0.0);  // closed from the start
      BOOST_TEST(run.report.events[0].active_constraints.size() == 1U);
      BOOST_TEST(std::abs(run.report.events[1].t - 0.5) < 1e-8);
      BOOST_TEST(run.report.events[1].active_constraints.empty());
      BOOST_TEST((run.trajectory.position_at(1.0) - Vector2d(1.0, lift / 48.0)).norm() < 1e-7 * method.accuracy);
      for (std::size_t k = 1; k < run.trajectory.size(); ++k) {
        const double t = run.trajectory.t(k);
        const double pushed = t < 0.5 ? gravity - lift * t : 0.0;
        BOOST_TEST(std::abs(-run.trajectory.lambda(k)[0] - pushed) < 1e-6);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_bouncing_ball_comes_to_rest_at_the_accumulation_point) {
  const double e = 0.5, first = std::sqrt(2.0 / gravity), accumulation = first * (1.0 + e) / (1.0 - e);
  const InitialState start{0.0, Vector2d(0.0, 1.0), Vector2d(1.0, 0.0)};
  for (const Method& method : methods) {
    for (const double tolerance : {1e-5, 1e-9}) {
      BOOST_TEST_CONTEXT(method << " " << tolerance) {
        SimulationOptions options = options_of(method, 3.0, tolerance);
        options.events = {unilateral_contact("floor", e)};
        const Simulation run = simulate(ball(), start, options);
        BOOST_TEST(run.status.finished(), run.status.message);
        // It rests when a rebound would rise less than the tolerance, here 1.1 to 4 times `tolerance`.
        const double shortened = std::sqrt(8.0 * 4.0 * tolerance / gravity) / (1.0 - e);
        BOOST_TEST(std::abs(run.report.events.back().t - accumulation) < shortened);
        BOOST_TEST(run.report.events.size() > 5U);
        const VectorXd q = run.trajectory.position_at(3.0), v = run.trajectory.velocity_at(3.0);
        BOOST_TEST(std::abs(q[1]) < 100.0 * tolerance);
        BOOST_TEST(std::abs(v[1]) < 100.0 * tolerance);
        BOOST_TEST(std::abs(v[0] - 1.0) < 1e-12);  // no friction
        BOOST_TEST(std::abs(run.trajectory.lambda(run.trajectory.size() - 1)[0] + gravity) < 1e-9);
        BOOST_TEST(std::abs(run.report.event_work + gravity) <= run.report.energy_drift + 1e-12);  // all is lost
        BOOST_TEST(run.report.energy_drift < 300.0 * tolerance * method.accuracy);

        options.events = {impact_event("floor", e)};
        const Simulation endless = simulate(ball(), start, options);
        BOOST_TEST(to_string(endless.status.outcome) == std::string("step_limit"));
        BOOST_TEST(contains(endless.status.message, "event \"floor\""));
        BOOST_TEST(contains(endless.status.message, "unilateral_contact(\"floor\""));
        BOOST_TEST(std::abs(endless.report.t_reached - accumulation) < shortened);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(contacts_that_would_have_to_pull_open) {
  // A plank rocks on two supports. Struck inside sqrt(I/m) from the centre, the other support has to let go; struck
  // outside, it is pressed and the plank stops.
  const double m = 1.0, I = 1.0 / 12.0, reach = std::sqrt(I / m);
  for (const double b : {0.7 * reach, 1.4 * reach}) {
    BOOST_TEST_CONTEXT(b / reach) {
      Assembly assembly;
      const Block plank = assembly.add_coordinates("plank", 3);
      assembly.add("inertia", PlanarRigidBody{m, I}, {plank});
      assembly.add("weight", UniformGravity{m, 0.0, -gravity}, {centre_of(plank)});
      assembly.add("left", Support{-b}, {plank});
      assembly.add("right", Support{b}, {plank});
      SimulationOptions options = options_of(usual, 0.3);
      options.events = {unilateral_contact("left"), unilateral_contact("right")};
      const double tilt = 0.01;  // stands on the left, at rest, right end up
      const Simulation run =
          simulate(assembly.build(), {0.0, Eigen::Vector3d(0.0, b * std::sin(tilt), tilt), {}}, options);
      BOOST_TEST(run.status.finished(), run.status.message);
      BOOST_REQUIRE(run.report.events.size() >= 2U);
      const EventRecord& struck = run.report.events[1];
      const bool rocks = b < reach;
      BOOST_TEST(contains(struck.done, "opened \"left\"") == rocks, struck.done);
      BOOST_TEST((struck.active_constraints == std::vector<std::string>{"right"}) == rocks);
      BOOST_TEST(struck.kinetic_energy_after <= struck.kinetic_energy_before);
      // angular momentum about the struck support: I w + m b w b before and I w - m b^2 w' ... gives the classical
      // ratio
      const double ratio = (I - m * b * b) / (I + m * b * b);
      const double expected = rocks ? ratio * ratio : 0.0;
      BOOST_TEST(std::abs(struck.kinetic_energy_after / struck.kinetic_energy_before - expected) < 1e-3);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_contact_that_is_passed_unnoticed_ends_the_run) {
  SimulationOptions options = options_of(usual, 1.0);
  Event blind = impact_event("floor", 0.5);
  blind.root = [](const EventPoint&) { return 1.0; };
  options.events = {blind};
  const Simulation run = simulate(ball(), {0.0, Vector2d(0.0, 1.0), {}}, options);
  BOOST_TEST(to_string(run.status.outcome) == std::string("integrator_failure"));
  BOOST_TEST(contains(run.status.message, "\"floor\" was passed unnoticed"));
  BOOST_TEST(run.report.t_reached < 1.0);
}

BOOST_AUTO_TEST_CASE(a_penetrated_contact_is_refused) {
  SimulationOptions options = options_of(usual, 1.0);
  options.events = {unilateral_contact("floor")};
  const Simulation run = simulate(ball(), {0.0, Vector2d(0.0, -0.1), {}}, options);
  BOOST_TEST(to_string(run.status.outcome) == std::string("infeasible"));
  BOOST_TEST(contains(run.status.message, "\"floor\" is penetrated"));
}

// What is left of a rebound that came to rest must not be taken for a pull by the next contact of the same instant.
BOOST_AUTO_TEST_CASE(contacts_that_close_at_the_same_instant_come_to_rest) {
  for (const double e : {0.0, 0.3, 0.5}) {
    for (const double higher : {0.0, 1e-15, 1e-9, 1e-6}) {
      BOOST_TEST_CONTEXT("e " << e << ", higher by " << higher) {
        Assembly assembly;
        SimulationOptions options = options_of(usual, 2.0);
        InitialState start{0.0, VectorXd(4), {}};
        for (const int k : {0, 1}) {
          const std::string name = k == 0 ? "left" : "right";
          const Block ball = assembly.add_coordinates(name + " ball", 2);
          assembly.add(name + " mass", PointMass{1.0}, {ball});
          assembly.add(name + " weight", UniformGravity{1.0, 0.0, -gravity}, {ball});
          assembly.add(name, Wall{0.5 * M_PI}, {ball});
          options.events.push_back(unilateral_contact(name, e));
          start.q.segment(2 * k, 2) = Vector2d(k, 1.0 + k * higher);
        }
        const Simulation run = simulate(assembly.build(), start, options);
        BOOST_TEST(run.status.finished(), run.status.message);
        BOOST_TEST(run.report.events.back().active_constraints.size() == 2U);
        const Eigen::VectorXd q = run.trajectory.position_at(2.0);
        BOOST_TEST(std::max(std::abs(q[1]), std::abs(q[3])) < 1e-9);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_contact_may_rest_at_the_origin) {
  for (const double x : {0.0, 1.0}) {
    for (const double y : {0.0, 1e-12, -1e-12, -1e-9, 1e-7}) {
      BOOST_TEST_CONTEXT("x " << x << ", y " << y) {
        SimulationOptions options = options_of(usual, 1.0);
        options.events = {unilateral_contact("floor")};
        const Simulation run = simulate(ball(), {0.0, Vector2d(x, y), {}}, options);
        BOOST_TEST(run.status.finished(), run.status.message);
        BOOST_TEST(std::abs(run.trajectory.position_at(1.0)[1]) < 1e-9);
        BOOST_TEST(run.report.events.back().active_constraints.size() == 1U);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(contacts_near_the_origin_keep_the_scales_of_the_run) {
  // Two walls meet at q = 0, where the ball ends up: automatic gains and error weights must not read their scales
  // there.
  for (const Method& method : methods) {
    if (method.formulation == "index3") continue;  // fails where nothing can move, with and without events
    BOOST_TEST_CONTEXT(method) {
      Assembly assembly;
      const Block ball = assembly.add_coordinates("ball", 2);
      assembly.add("mass", PointMass{1.0}, {ball});
      assembly.add("weight", UniformGravity{1.0, 0.0, -gravity}, {ball});
      assembly.add("left", Wall{0.3}, {ball});
      assembly.add("right", Wall{M_PI - 0.3}, {ball});
      SimulationOptions options = options_of(method, 2.0);
      options.events = {unilateral_contact("left", 0.3), unilateral_contact("right", 0.3)};
      const Simulation run = simulate(assembly.build(), {0.0, Vector2d(0.1, 1.0), {}}, options);
      BOOST_TEST(run.status.finished(), run.status.message);
      BOOST_TEST(run.trajectory.position_at(2.0).norm() < 1e-7 * method.accuracy);
      const VectorXd lambda = run.trajectory.lambda(run.trajectory.size() - 1);
      const double pushed = gravity / (2.0 * std::sin(0.3));
      BOOST_TEST((lambda + Vector2d(pushed, pushed)).norm() < 1e-6);
      BOOST_TEST(run.report.steps < 5000);
    }
  }
}
