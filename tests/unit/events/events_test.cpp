// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include <boost/test/unit_test.hpp>

#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>

#include "event_systems.hpp"
#include "mechanisms/elliptic.hpp"

/// Roots, impacts, joints that break and lock: against closed forms and the laws of impact.
using namespace sunlagrange;
using namespace sunlagrange::test;
using Eigen::Vector2d;
using Eigen::VectorXd;

namespace {

/// A cart on a line, and the demand that two carts touch.
struct Cart {
  double m = 1.0;
  static constexpr int num_positions = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = m;
  }
};
struct Coupling {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[1] - q[0];
  }
};

/// F(phi | m) = the u with am(u | m) = phi, by bisection.
double incomplete_elliptic_integral(double phi, double m) {
  long double low = -10.0L, high = 10.0L;
  for (int k = 0; k < 80; ++k) {
    const long double middle = 0.5L * (low + high);
    (mechanisms::jacobi_amplitude(middle, m) < phi ? low : high) = middle;
  }
  return static_cast<double>(low);
}

/// From the turning point, or back to it, of a pendulum that has kinetic energy T (per mass, L = 1) at `angle`.
double time_to_turning_point(double angle, double T) {
  const double m = std::pow(std::sin(0.5 * angle), 2) + T / (2.0 * gravity);  // sin^2(largest angle / 2)
  const double quarter = static_cast<double>(mechanisms::complete_elliptic_integral(m));
  return (quarter - incomplete_elliptic_integral(std::asin(std::sin(0.5 * angle) / std::sqrt(m)), m)) /
         std::sqrt(gravity);
}

}  // namespace

BOOST_AUTO_TEST_CASE(pendulum_hitting_a_stop_follows_the_impact_law_and_the_closed_form) {
  const double e = 0.7, stop = -0.3;
  for (const Method& method : methods) {
    BOOST_TEST_CONTEXT(method) {
      SimulationOptions options = options_of(method, 5.0);
      options.events = {impact_event("stop", e)};
      const Simulation run = simulate(pendulum(stop), horizontal, options);
      BOOST_TEST(run.status.finished(), run.status.message);
      BOOST_REQUIRE(run.report.events.size() == 4U);
      double T = gravity * std::cos(stop);
      double t = time_to_turning_point(stop, T);
      double work = 0.0;
      for (const EventRecord& event : run.report.events) {
        BOOST_TEST(std::abs(event.t - t) < 1e-6 * method.accuracy);
        BOOST_TEST(std::abs(event.kinetic_energy_before - T) < 3e-6 * method.accuracy);
        BOOST_TEST(std::abs(event.kinetic_energy_after / event.kinetic_energy_before - e * e) < 1e-9 * method.accuracy);
        BOOST_TEST(event.velocity_violation_after < 1e-14);
        BOOST_TEST(event.moved_positions < 3e-7);
        BOOST_TEST(event.active_constraints.size() == 1U);
        work += event.kinetic_energy_after - event.kinetic_energy_before;
        T *= e * e;
        t += 2.0 * time_to_turning_point(stop, T);
      }
      BOOST_TEST(run.report.energy_drift < 3e-6 * method.accuracy);
      BOOST_TEST(std::abs(run.report.event_work - work) < 1e-8);
    }
  }
}

BOOST_AUTO_TEST_CASE(trajectory_keeps_both_sides_of_an_impact) {
  SimulationOptions options = options_of(usual, 1.5);
  options.events = {impact_event("stop", 0.5)};
  const Simulation run = simulate(pendulum(-0.3), horizontal, options);
  const Trajectory& path = run.trajectory;
  const double t = run.report.events.at(0).t;
  std::size_t k = 0;
  while (path.t(k) < t) ++k;
  BOOST_TEST(path.t(k) == t);
  BOOST_TEST(path.t(k + 1) == t);
  BOOST_TEST((path.q(k) - path.q(k + 1)).norm() < 1e-7);
  BOOST_TEST((0.5 * path.v(k) + path.v(k + 1)).norm() < 1e-7);
  BOOST_TEST(path.velocity_at(t) == path.v(k + 1));  // the side after it
  BOOST_TEST((path.a(0) - Vector2d(0.0, -gravity)).norm() < 1e-7);
  BOOST_TEST((path.velocity_at(t - 1e-9) - path.v(k)).norm() < 1e-6);
  for (std::size_t i = 0; i < path.size(); ++i) BOOST_TEST(path.lambda(i)[0] == 0.0);  // rows of the full system
  BOOST_TEST(path.lambda(k)[1] > 10.0);
  // dense output on both sides: energy between the steps
  for (const double s : {t - 0.013, t + 0.007, t + 0.1}) {
    const double lost = s < t ? 0.0 : run.report.event_work;
    const double E = 0.5 * path.velocity_at(s).squaredNorm() + gravity * path.position_at(s)[1];
    BOOST_TEST(std::abs(E - lost) < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(restitution_acts_on_the_normal_part_only) {
  const double slope = 0.4 * M_PI, e = 0.6;
  SimulationOptions options = options_of(usual, 0.6);
  options.events = {impact_event("floor", e)};
  const Simulation run = simulate(ball(slope), {0.0, Vector2d(0.0, 1.0), Vector2d(1.0, 0.0)}, options);
  BOOST_REQUIRE(run.report.events.size() == 1U);
  const double t = run.report.events[0].t;
  const VectorXd before = Vector2d(1.0, -gravity * t), after = run.trajectory.velocity_at(t);
  const Vector2d normal(std::cos(slope), std::sin(slope)), along(-std::sin(slope), std::cos(slope));
  BOOST_TEST(std::abs(normal.dot(after) + e * normal.dot(before)) < 1e-7);
  BOOST_TEST(std::abs(along.dot(after) - along.dot(before)) < 1e-7);
}

BOOST_AUTO_TEST_CASE(fixed_steps_keep_their_order_through_impacts) {
  const auto error = [](const std::string& integrator, double step) {
    SimulationOptions options = options_of({"baumgarte", integrator}, 3.0);
    options.step = step;
    if (integrator == "table") options.table = rk4();
    options.events = {impact_event("stop", 0.7)};
    const Simulation run = simulate(pendulum(-0.3), horizontal, options);
    const double T = gravity * std::cos(0.3);
    return std::abs(run.report.events.at(1).t - time_to_turning_point(-0.3, T) -
                    2.0 * time_to_turning_point(-0.3, 0.49 * T));
  };
  BOOST_TEST(std::log2(error("rk2", 4e-3) / error("rk2", 5e-4)) / 3.0 > 1.7);
  BOOST_TEST(std::log2(error("rk4", 8e-3) / error("rk4", 1e-3)) / 3.0 > 3.5);
  BOOST_TEST(std::abs(error("table", 8e-3) - error("rk4", 8e-3)) < 1e-12);  // the user's own table does the same
}

BOOST_AUTO_TEST_CASE(a_joint_that_breaks_leaves_a_parabola) {
  const double l = 1.0, m = 2.0, I = m * l * l / 12.0, strength = 60.0;
  Assembly assembly;
  const Block arm = assembly.add_coordinates("arm", 3);
  const Block forearm = assembly.add_coordinates("forearm", 3);
  for (const auto& [name, body] : {std::pair("arm", arm), std::pair("forearm", forearm)}) {
    assembly.add(std::string(name) + " inertia", PlanarRigidBody{m, I}, {body});
    assembly.add(std::string(name) + " weight", UniformGravity{m, 0.0, -gravity}, {centre_of(body)});
  }
  assembly.add("elbow", Revolute{l / 2.0, 0.0, -l / 2.0, 0.0}, {arm, forearm});
  assembly.add("shoulder", RevoluteToGround{-l / 2.0, 0.0, 0.0, 0.0}, {arm});
  const auto system = assembly.build();
  VectorXd q(6);
  q << 0.5, 0.0, 0.0, 1.5, 0.0, 0.0;
  double first_time = 0.0;
  for (const Method& method : methods) {
    BOOST_TEST_CONTEXT(method) {
      SimulationOptions options = options_of(method, 1.0);
      options.events = {release_when("elbow", strength)};
      const Simulation run = simulate(system, {0.0, q, {}}, options);
      BOOST_TEST(run.status.finished(), run.status.message);
      BOOST_REQUIRE(run.report.events.size() == 1U);
      const EventRecord& event = run.report.events[0];
      if (first_time == 0.0) first_time = event.t;
      BOOST_TEST(std::abs(event.t - first_time) < 1e-6 * method.accuracy);
      BOOST_TEST(std::abs(event.kinetic_energy_after - event.kinetic_energy_before) < 1e-6 * method.accuracy);
      std::size_t k = 0;
      while (run.trajectory.t(k) < event.t) ++k;
      BOOST_TEST(std::abs(run.trajectory.lambda(k).head(2).norm() - strength) < 1e-4 * method.accuracy);
      const VectorXd q0 = run.trajectory.q(k + 1), v0 = run.trajectory.v(k + 1);
      for (std::size_t i = k + 1; i < run.trajectory.size(); ++i) {
        const double t = run.trajectory.t(i) - event.t;
        const VectorXd qi = run.trajectory.q(i), vi = run.trajectory.v(i);
        BOOST_TEST(run.trajectory.lambda(i).head(2).norm() == 0.0);
        BOOST_TEST(std::abs(qi[3] - q0[3] - v0[3] * t) < 1e-7);
        BOOST_TEST(std::abs(qi[4] - q0[4] - v0[4] * t + 0.5 * gravity * t * t) < 1e-7);
        BOOST_TEST(std::abs(vi[5] - v0[5]) < 1e-8);  // angular momentum about its centre
      }
      BOOST_TEST(run.report.energy_drift < 1e-5 * method.accuracy);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_joint_overloaded_from_the_start_breaks_there) {
  SimulationOptions options = options_of(usual, 0.1);
  options.inactive_constraints = {"stop"};
  options.events = {release_when("rod", 20.0)};
  const Simulation run = simulate(pendulum(0.0), {0.0, Vector2d(0.0, -1.0), Vector2d(5.0, 0.0)}, options);
  BOOST_REQUIRE(run.report.events.size() == 1U);  // 25 + 9.81 > 20
  BOOST_TEST(run.report.events[0].t == 0.0);
  BOOST_TEST(run.trajectory.size() > 2U);
  BOOST_TEST((run.trajectory.position_at(0.1) - Vector2d(0.5, -1.0 - 0.005 * gravity)).norm() < 1e-7);
}

BOOST_AUTO_TEST_CASE(locking_conserves_momentum_and_loses_the_relative_energy) {
  const double m0 = 2.0, m1 = 3.0, v0 = 1.5, v1 = -0.5;
  Assembly assembly;
  const Block first = assembly.add_coordinates("first", 1);
  const Block second = assembly.add_coordinates("second", 1);
  assembly.add("mass 0", Cart{m0}, {first});
  assembly.add("mass 1", Cart{m1}, {second});
  assembly.add("coupling", Coupling{}, {first, second});
  const auto system = assembly.build();
  for (const Method& method : methods) {
    BOOST_TEST_CONTEXT(method) {
      SimulationOptions options = options_of(method, 1.0);
      options.inactive_constraints = {"coupling"};
      Event meet{"meet", [](const EventPoint& p) { return p.gap("coupling"); }, Crossing::falling,
                 [](EventContext& c) { c.activate("coupling"); }};
      Event part{"part", [](const EventPoint& p) { return p.t() - 0.8; }, Crossing::rising,
                 [](EventContext& c) {
                   c.deactivate("coupling");
                   c.set_velocity(c.v() + Vector2d(-1.0, 0.0));
                 }};
      options.events = {meet, part};
      const Simulation run = simulate(system, {0.0, Vector2d(0.0, 1.0), Vector2d(v0, v1)}, options);
      BOOST_TEST(run.status.finished(), run.status.message);
      BOOST_REQUIRE(run.report.events.size() == 2U);
      const EventRecord& locked = run.report.events[0];
      BOOST_TEST(std::abs(locked.t - 0.5) < 1e-12);
      const double loss = 0.5 * m0 * m1 / (m0 + m1) * (v0 - v1) * (v0 - v1);
      BOOST_TEST(std::abs(locked.kinetic_energy_before - locked.kinetic_energy_after - loss) < 1e-12);
      BOOST_TEST(std::abs(locked.velocity_violation_before - (v0 - v1)) < 1e-12);
      BOOST_TEST(locked.velocity_violation_after < 1e-15);
      const double common = (m0 * v0 + m1 * v1) / (m0 + m1);
      BOOST_TEST((run.trajectory.velocity_at(0.6) - Vector2d(common, common)).norm() < 1e-12);
      BOOST_TEST(std::abs(run.report.events[1].t - 0.8) < 1e-12);
      BOOST_TEST((run.trajectory.velocity_at(1.0) - Vector2d(common - 1.0, common)).norm() < 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(simultaneous_events_run_in_order_on_one_state) {
  SimulationOptions options = options_of(usual, 1.0);
  const auto at_half = [](const EventPoint& p) { return p.t() - 0.5; };
  std::vector<double> seen;
  options.events = {
      {"first", at_half, Crossing::any, [](EventContext& c) { c.set_velocity(c.v() + Vector2d(3.0, 0.0)); }},
      {"second", at_half, Crossing::any,
       [&seen](EventContext& c) {
         seen.push_back(c.v()[0]);
         c.set_velocity(2.0 * c.v());
       }},
      {"third", at_half, Crossing::any, nullptr}};
  options.inactive_constraints = {"floor"};
  const Simulation run = simulate(ball(), {0.0, Vector2d(0.0, 0.0), Vector2d(1.0, 0.0)}, options);
  BOOST_REQUIRE(run.report.events.size() == 3U);
  BOOST_TEST(run.report.events[0].name == "first");
  BOOST_TEST(run.report.events[2].name == "third");
  BOOST_REQUIRE(seen.size() == 1U);
  BOOST_TEST(std::abs(seen[0] - 4.0) < 1e-12);
  BOOST_TEST(std::abs(run.trajectory.velocity_at(1.0)[0] - 8.0) < 1e-12);
  BOOST_TEST(std::abs(run.trajectory.position_at(1.0)[0] - 4.5) < 1e-9);
}

BOOST_AUTO_TEST_CASE(an_event_that_changes_nothing_does_not_disturb_the_integration) {
  for (const Method& method : {Method{"baumgarte", "cvode_bdf"}, Method{"baumgarte", "dopri5"},
                               Method{"baumgarte", "rk4"}, Method{"ggl", "ida"}}) {
    BOOST_TEST_CONTEXT(method) {
      SimulationOptions options = options_of(method, 10.0);
      options.step = 3e-3;
      options.inactive_constraints = {"stop"};
      const Simulation plain = simulate(pendulum(0.0), horizontal, options);
      options.events = {{"lowest point", [](const EventPoint& p) { return p.q()[0]; }, Crossing::any},
                        {"last but one step of rk4", [](const EventPoint& p) { return p.t() - 9.9985; }}};
      const Simulation watched = simulate(pendulum(0.0), horizontal, options);
      BOOST_TEST(watched.status.finished(), watched.status.message);
      BOOST_TEST(watched.report.steps == plain.report.steps);
      BOOST_TEST(watched.trajectory.position_at(10.0) == plain.trajectory.position_at(10.0));
      const double period = 2.36784194757623745;
      BOOST_REQUIRE(watched.report.events.size() == 9U);
      for (std::size_t k = 0; k < 8; ++k)
        BOOST_TEST(std::abs(watched.report.events[k].t - (0.25 + 0.5 * static_cast<double>(k)) * period) < 1e-5);
      BOOST_TEST(std::abs(watched.report.events[8].t - 9.9985) < 1e-12);
    }
  }
}

namespace {

/// A mass on a line under a constant force that a handler reverses.
struct Reversed {
  std::shared_ptr<double> force = std::make_shared<double>(1.0);

  static constexpr int num_positions = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = T(1.0);
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[0] = T(*force);
  }
};

}  // namespace

// x = t^2 / 2 up to sqrt 2, where x = 1 and v = sqrt 2; then v falls by 1 m/s each second.
BOOST_AUTO_TEST_CASE(a_number_of_the_model_that_a_handler_changes_acts_from_there_on) {
  for (const char* integrator : {"automatic", "dopri5", "radau", "cvode_adams"}) {
    const Reversed model;
    SimulationOptions options;
    options.formulation = "baumgarte";
    options.integrator = integrator;
    options.t_end = 3.0;
    options.rtol = options.atol = 1e-8;
    options.events = {Event{"at 1 m", [](const EventPoint& p) { return p.q()[0] - 1.0; }, Crossing::rising,
                            [&](EventContext&) { *model.force = -1.0; }}};
    const Simulation run = simulate(make_system(model), {0.0, Eigen::VectorXd::Zero(1), {}}, options);
    BOOST_REQUIRE(run.status.finished());
    const double later = 3.0 - std::sqrt(2.0), x = 1.0 + std::sqrt(2.0) * later - 0.5 * later * later;
    BOOST_TEST(run.report.events.size() == 1U);
    BOOST_TEST(std::abs(run.trajectory.position_at(3.0)[0] - x) < 1e-6, integrator);
  }
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_run_where_the_gap_closes) {
  SimulationOptions options = options_of(usual, 5.0);
  options.events = {stop_at_contact("floor")};
  const Simulation run = simulate(ball(), {0.0, Vector2d(0.0, 1.0), {}}, options);
  BOOST_TEST(run.status.finished());
  BOOST_TEST(contains(run.status.message, "event \"floor\""));
  BOOST_TEST(std::abs(run.report.t_reached - std::sqrt(2.0 / gravity)) < 1e-7);
  BOOST_TEST(run.trajectory.t(run.trajectory.size() - 1) == run.report.t_reached);
}

BOOST_AUTO_TEST_CASE(an_event_at_the_end_is_handled) {
  SimulationOptions options = options_of(usual, 0.5);
  options.inactive_constraints = {"floor"};
  options.events = {{"kick", [](const EventPoint& p) { return p.t() - 0.5; }, Crossing::rising,
                     [](EventContext& c) { c.set_velocity(Vector2d(7.0, 0.0)); }}};
  const Simulation run = simulate(ball(), {0.0, Vector2d(0.0, 1.0), {}}, options);
  BOOST_TEST(run.status.finished(), run.status.message);
  BOOST_TEST(run.trajectory.velocity_at(0.5)[0] == 7.0);
}

// A root that dips for 10 ms while steps may have 93 ms.
BOOST_AUTO_TEST_CASE(two_zeros_within_one_step_are_found) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", 1);
  assembly.add("cart", Cart{}, {a});
  const auto system = assembly.build();
  const double half = 5e-3;
  for (const Method& method : {usual, Method{"baumgarte", "cvode_adams"}, Method{"baumgarte", "dopri5"},
                               Method{"baumgarte", "radau"}, Method{"index1", "ida"}}) {
    for (const auto& [crossing, times] :
         {std::pair<Crossing, std::vector<double>>{Crossing::any, {5.0 - half, 5.0 + half}},
          {Crossing::falling, {5.0 - half}},
          {Crossing::rising, {5.0 + half}}}) {
      BOOST_TEST_CONTEXT(method << " " << times.size() << " from " << times.front()) {
        SimulationOptions options = options_of(method, 10.0);
        const auto root = [half](const EventPoint& p) { return std::pow(p.q()[0] - 5.0, 2) - half * half; };
        options.events = {{"near", root, crossing}};
        const Simulation run = simulate(system, {0.0, VectorXd::Zero(1), VectorXd::Ones(1)}, options);
        BOOST_TEST(run.status.finished(), run.report.text(run.status));
        BOOST_REQUIRE(run.report.events.size() == times.size());
        for (std::size_t k = 0; k < times.size(); ++k) BOOST_TEST(std::abs(run.report.events[k].t - times[k]) < 1e-6);
        BOOST_TEST(std::abs(run.trajectory.q(run.trajectory.size() - 1)[0] - 10.0) < 1e-6);
      }
    }
  }
}

// From rest at the height of its pivot: the ball is above -0.1 mm for 9 ms at every turn. Nothing is disturbed.
BOOST_AUTO_TEST_CASE(turns_of_a_pendulum_are_seen_in_every_method) {
  const double below = 1e-4, angle = std::acos(below);
  const double beside = time_to_turning_point(angle, gravity * below);
  const double half = 2.0 * time_to_turning_point(0.0, gravity);
  for (const Method& method : methods) {
    BOOST_TEST_CONTEXT(method) {
      SimulationOptions options = options_of(method, 4.2 * half);
      options.inactive_constraints = {"stop"};
      const auto root = [below](const EventPoint& p) { return -below - p.q()[1]; };
      options.events = {{"turn", root}};
      const Simulation run = simulate(pendulum(0.0), horizontal, options);
      BOOST_TEST(run.status.finished(), run.report.text(run.status));
      BOOST_REQUIRE(run.report.events.size() == 9U);
      for (std::size_t k = 0; k < 9; ++k) {
        const double wanted = static_cast<double>((k + 1) / 2) * half + (k % 2 == 0 ? beside : -beside);
        BOOST_TEST(std::abs(run.report.events[k].t - wanted) < 1e-5 * method.accuracy);
        BOOST_TEST(run.report.events[k].moved_positions == 0.0);
      }
    }
  }
}

// A step is repeated, not the start: the trajectory is that without events up to the error of the steps.
BOOST_AUTO_TEST_CASE(repeated_steps_leave_the_trajectory_before_them) {
  const InitialState start{0.0, Eigen::Vector2d(std::cos(0.5), -std::sin(0.5)), {}};
  for (const Method& method : {usual, Method{"projected", "dopri5"}, Method{"penalty", "cvode_bdf"}}) {
    BOOST_TEST_CONTEXT(method) {
      SimulationOptions options = options_of(method, 10.0, 1e-7);
      options.inactive_constraints = {"stop"};
      const Simulation without = simulate(pendulum(0.0), start, options);
      const double height = start.q[1] - 1e-5;
      options.events = {{"turn", [height](const EventPoint& p) { return height - p.q()[1]; }}};
      const Simulation with = simulate(pendulum(0.0), start, options);
      BOOST_TEST(with.report.events.size() > 3U);
      BOOST_TEST((with.trajectory.a(0) == without.trajectory.a(0)));
      BOOST_TEST((with.trajectory.v(0) == without.trajectory.v(0)));
      for (std::size_t k = 1; k < with.trajectory.size(); ++k) {
        BOOST_REQUIRE(with.trajectory.t(k) > with.trajectory.t(k - 1));
        const double t = 0.5 * (with.trajectory.t(k - 1) + with.trajectory.t(k));
        const VectorXd apart = with.trajectory.position_at(t) - without.trajectory.position_at(t);
        BOOST_TEST(apart.lpNorm<Eigen::Infinity>() < 2e-4);
      }
    }
  }
}

// Dependent coordinates that are found anew differ in their last digit.
BOOST_AUTO_TEST_CASE(no_zero_is_found_twice) {
  SimulationOptions options = options_of({"coordinate_partitioning", "dopri5"}, 10.0, 1e-8);
  options.inactive_constraints = {"stop"};
  options.events = {{"turn", [](const EventPoint& p) { return -0.5 - p.q()[1]; }}};
  const InitialState start{0.0, Eigen::Vector2d(std::cos(0.5), -std::sin(0.5)), {}};
  const Simulation run = simulate(pendulum(0.0), start, options);
  BOOST_REQUIRE(run.report.events.size() > 10U);
  for (std::size_t k = 1; k < run.report.events.size(); ++k)
    BOOST_TEST(run.report.events[k].t > run.report.events[k - 1].t + 0.01);
}

// Thrown up, the ball would rise above the ceiling by 0.1 mm for 9 ms; turned around there it falls as from a throw.
BOOST_AUTO_TEST_CASE(a_ceiling_that_is_grazed_turns_the_ball_around) {
  const double above = 1e-4, rise = 2.0;
  const double v0 = 3.0 * gravity, height = 0.5 * v0 * v0 / gravity - above;
  for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5", "radau"}) {
    BOOST_TEST_CONTEXT(integrator) {
      SimulationOptions options = options_of({"baumgarte", integrator}, 6.0);
      const auto turn_down = [rise](EventContext& context) {
        VectorXd v = context.v();
        v[1] = -rise;
        context.set_velocity(v);
      };
      options.inactive_constraints = {"floor"};
      options.events = {
          {"ceiling", [height](const EventPoint& p) { return height - p.q()[1]; }, Crossing::falling, turn_down}};
      const Simulation run = simulate(ball(), {0.0, VectorXd::Zero(2), Eigen::Vector2d(0.0, v0)}, options);
      BOOST_TEST(run.status.finished(), run.report.text(run.status));
      BOOST_REQUIRE(run.report.events.size() == 1U);
      const double at = (v0 - std::sqrt(2.0 * gravity * above)) / gravity, fall = 6.0 - at;
      const double late = 1e-5;
      BOOST_TEST(std::abs(run.report.events[0].t - at) < late);
      const double y = run.trajectory.q(run.trajectory.size() - 1)[1];
      BOOST_TEST(std::abs(y - (height - rise * fall - 0.5 * gravity * fall * fall)) < (rise + gravity * fall) * late);
    }
  }
}

BOOST_AUTO_TEST_CASE(any_crossing_can_bounce) {
  // Between two walls by a handler of its own: the root that has fired is not found again where the run starts anew.
  const double low = 0.3, high = 1.1, speed = 7.3;
  for (const Method& method : {usual, Method{"baumgarte", "dopri5"}, Method{"ggl", "ida"}}) {
    BOOST_TEST_CONTEXT(method) {
      SimulationOptions options = options_of(method, 3.0);
      options.inactive_constraints = {"floor"};
      for (const double wall : {low, high}) {
        options.events.push_back({"bounce at " + std::to_string(wall),
                                  [wall](const EventPoint& p) { return p.q()[0] - wall; }, Crossing::any,
                                  [](EventContext& c) { c.set_velocity(Vector2d(-c.v()[0], c.v()[1])); }});
      }
      const Simulation run = simulate(ball(), {0.0, Vector2d(0.5, 0.0), Vector2d(speed, 0.0)}, options);
      BOOST_TEST(run.status.finished(), run.status.message);
      const double way = 0.5 - low + speed * 3.0;  // unfolded
      BOOST_TEST(run.report.events.size() == static_cast<std::size_t>(way / (high - low)));
      const double left = std::fmod(way, 2.0 * (high - low));
      const double expected = low + std::min(left, 2.0 * (high - low) - left);
      BOOST_TEST(std::abs(run.trajectory.position_at(3.0)[0] - expected) < 1e-9);
    }
  }
}

BOOST_AUTO_TEST_CASE(gains_follow_the_active_rows) {
  Gains gains;
  gains.K_D = Gain(std::vector<double>{7.0, 20.0});
  Eigen::Matrix2d K_P;
  K_P << 5.0, 1.0, 1.0, 90.0;
  gains.K_P = Gain(Eigen::MatrixXd(K_P));
  SimulationOptions options = options_of(usual, 2.0);
  options.gains = gains;
  options.inactive_constraints = {"stop"};
  const Simulation switched_off = simulate(pendulum(0.0), horizontal, options);
  BOOST_TEST(switched_off.status.finished(), switched_off.status.message);
  options.gains.K_D = 20.0;
  options.gains.K_P = 90.0;
  options.inactive_constraints.clear();
  const Simulation never_there = simulate(without_constraints(pendulum(0.0), {"stop"}), horizontal, options);
  BOOST_TEST(switched_off.trajectory.position_at(2.0) == never_there.trajectory.position_at(2.0));
}

BOOST_AUTO_TEST_CASE(wrong_options_are_listed_completely) {
  SimulationOptions options = options_of(usual, 1.0);
  options.inactive_constraints = {"spring"};
  const Event nameless;
  const Event unknown{"look", [](const EventPoint& p) { return p.gap("roof"); }};
  Event limit{"limit", [](const EventPoint& p) { return p.t(); }};
  limit.limit = true;
  options.events = {nameless, impact_event("wall", 0.5), impact_event("wall", 0.5), unknown, limit};
  BOOST_CHECK_EXCEPTION(simulate(ball(), {0.0, Vector2d(0.0, 1.0), {}}, options), Error, [](const Error& error) {
    for (const char* part : {"\"spring\"", "has no name", "no root function", "\"wall\"", "is taken", "\"roof\"",
                             "a limit needs", "known constraints: \"floor\""}) {
      BOOST_TEST(contains(error.what(), part), part << " is not in: " << error.what());
    }
    return true;
  });
  options = options_of({"baumgarte", "rk1"}, 1.0);
  options.step = 1e-3;
  options.events = {impact_event("floor", 0.5)};
  BOOST_CHECK_EXCEPTION(simulate(ball(), {0.0, Vector2d(0.0, 1.0), {}}, options), Error,
                        [](const Error& error) { return contains(error.what(), "use rk2 or higher"); });
  options.integrator = "table";
  options.table = rk1();
  BOOST_CHECK_EXCEPTION(simulate(ball(), {0.0, Vector2d(0.0, 1.0), {}}, options), Error,
                        [](const Error& error) { return contains(error.what(), "table has no dense output"); });
  options = options_of({"index3_augmented_lagrangian", "automatic"}, 1.0);
  options.step = 1e-3;
  options.events = {impact_event("floor", 0.5)};
  BOOST_CHECK_EXCEPTION(simulate(ball(), {0.0, Vector2d(0.0, 1.0), {}}, options), Error,
                        [](const Error& error) { return contains(error.what(), "finds no roots"); });
  BOOST_CHECK_THROW(impact_event("floor", 1.5), Error);
  BOOST_CHECK_THROW(unilateral_contact("floor", -0.1), Error);
  BOOST_CHECK_THROW(release_when("floor", 0.0), Error);
}

BOOST_AUTO_TEST_CASE(faults_of_handlers_and_roots_end_the_run_with_their_story) {
  const auto run_with = [](const Event& event) {
    SimulationOptions options = options_of(usual, 1.0);
    options.inactive_constraints = {"floor"};
    options.events = {event};
    const Simulation run = simulate(ball(), {0.0, Vector2d(0.0, 1.0), {}}, options);
    BOOST_TEST(contains(run.status.message, "event \"fault\""), run.status.message);
    return run;
  };
  const auto at_half = [](const EventPoint& p) { return p.t() - 0.5; };
  const auto outcome = [](const Simulation& run) { return std::string(to_string(run.status.outcome)); };
  const auto handled = [&](std::function<void(EventContext&)> action) {
    const Simulation run = run_with({"fault", at_half, Crossing::rising, std::move(action)});
    BOOST_TEST(std::abs(run.report.t_reached - 0.5) < 1e-12);
    return run;
  };
  BOOST_TEST(outcome(handled([](EventContext& c) { c.activate("roof"); })) == "model_error");
  BOOST_TEST(outcome(handled([](EventContext&) { throw std::domain_error("no more"); })) == "model_error");
  BOOST_TEST(outcome(handled([](EventContext& c) { c.set_velocity(VectorXd(3)); })) == "model_error");
  const Simulation teleport = handled([](EventContext& c) { c.activate("floor"); });
  BOOST_TEST(outcome(teleport) == "infeasible");
  BOOST_TEST(contains(teleport.status.message, "g = -0.226"), teleport.status.message);
  const Simulation not_a_number =
      run_with({"fault", [](const EventPoint& p) { return p.t() < 0.3 ? 1.0 : std::nan(""); }});
  BOOST_TEST(outcome(not_a_number) == "model_error");
  for (const double from : {0.0, 0.3}) {
    const Simulation thrown = run_with({"fault", [from](const EventPoint& p) {
                                          if (p.t() >= from) throw std::domain_error("table ends");
                                          return 1.0;
                                        }});
    BOOST_TEST(outcome(thrown) == "model_error");
    BOOST_TEST(contains(thrown.status.message, "table ends"), thrown.status.message);
  }
  // A handler that leads straight back to its root, which gravity reaches again after 1e-12 s.
  const Simulation chatter =
      run_with({"fault", [](const EventPoint& p) { return std::tanh(1e11 * (p.v()[1] + 1.0)); }, Crossing::falling,
                [](EventContext& c) { c.set_velocity(Vector2d(0.0, -1.0 + 1e-11)); }});
  BOOST_TEST(outcome(chatter) == "step_limit");
}

BOOST_AUTO_TEST_CASE(recording_the_ends_only_changes_nothing_else) {
  SimulationOptions options = options_of(usual, 5.0);
  options.events = {impact_event("stop", 0.7)};
  const Simulation all = simulate(pendulum(-0.3), horizontal, options);
  options.record = Record::ends_only;
  const Simulation ends = simulate(pendulum(-0.3), horizontal, options);
  BOOST_REQUIRE(ends.trajectory.size() == 2U);
  BOOST_TEST(ends.trajectory.t(1) == 5.0);
  BOOST_TEST(ends.trajectory.q(1) == all.trajectory.position_at(5.0));
  BOOST_TEST(ends.report.events.size() == all.report.events.size());
  BOOST_TEST(ends.report.energy_drift == all.report.energy_drift);
}

BOOST_AUTO_TEST_CASE(report_and_dense_and_klu) {
  for (const LinearSolverInfo& solver : linear_solvers()) {
    if (!solver.available) continue;
    SimulationOptions options = options_of(usual, 2.0);
    options.linear_solver.name = std::string(solver.name);
    options.events = {unilateral_contact("stop", 0.2)};
    const Simulation run = simulate(pendulum(0.3), horizontal, options);
    BOOST_TEST(run.status.finished(), run.status.message);
    const std::string text = run.report.text(run.status);
    BOOST_TEST(contains(text, "switched on \"stop\""));
    BOOST_TEST(std::abs(run.trajectory.lambda(run.trajectory.size() - 1)[0] + gravity * std::sin(0.3)) < 1e-7);
  }
}

namespace {

/// The pendulum of `horizontal` passes x = 0 downwards at the first time, and comes back to it at the second one.
constexpr double passes_lowest_point[] = {0.591960486894, 1.775881460682};

std::vector<double> times_of(const Simulation& run) {
  std::vector<double> times;
  for (const EventRecord& event : run.report.events) times.push_back(event.t);
  return times;
}

const std::vector<Method> all_integrators = {{"baumgarte", "cvode_bdf"},
                                             {"baumgarte", "cvode_adams"},
                                             {"baumgarte", "dopri5"},
                                             {"baumgarte", "verner6"},
                                             {"baumgarte", "verner8"},
                                             {"baumgarte", "radau"},
                                             {"baumgarte", "rk4"},
                                             {"ggl", "ida"},
                                             {"ggl", "radau"}};

}  // namespace

// The depth beyond a plane, max(0, -x), is exactly zero over a while: it grows where it leaves zero.
BOOST_AUTO_TEST_CASE(a_root_that_is_zero_over_a_while_changes_its_sign_where_it_becomes_and_leaves_zero) {
  for (const Method& method : all_integrators) {
    for (const double side : {1.0, -1.0}) {
      for (const auto& [crossing, wanted] :
           {std::pair<Crossing, std::vector<double>>{Crossing::any, {passes_lowest_point[0], passes_lowest_point[1]}},
            {side > 0.0 ? Crossing::rising : Crossing::falling, {passes_lowest_point[0]}},
            {side > 0.0 ? Crossing::falling : Crossing::rising, {passes_lowest_point[1]}}}) {
        for (const bool acts : {false, true}) {
          BOOST_TEST_CONTEXT(method << ", side " << side << ", crossing " << static_cast<int>(crossing) << ", acts "
                                    << acts) {
            SimulationOptions options = options_of(method, 2.2, 1e-8);
            options.step = 2e-3;
            options.inactive_constraints = {"stop"};
            options.events = {
                Event{"depth", [side](const EventPoint& p) { return side * std::fmax(0.0, -p.q()[0]); }, crossing}};
            if (acts) options.events[0].action = [](EventContext& c) { c.restart(); };
            const Simulation run = simulate(pendulum(0.0), horizontal, options);
            BOOST_TEST(run.status.finished(), run.status.message);
            const std::vector<double> found = times_of(run);
            BOOST_REQUIRE(found.size() == wanted.size());
            for (std::size_t k = 0; k < wanted.size(); ++k) BOOST_TEST(std::abs(found[k] - wanted[k]) < 1e-5);
          }
        }
      }
    }
  }
}

// Zeros at points, in dips within a step, over a while, at given times, and of a multiplier.
BOOST_AUTO_TEST_CASE(events_that_are_only_recorded_change_no_bit_of_any_run) {
  for (const Method& method : all_integrators) {
    BOOST_TEST_CONTEXT(method) {
      SimulationOptions options = options_of(method, 10.0, 1e-6);
      options.step = 4e-3;
      options.inactive_constraints = {"stop"};
      const Simulation plain = simulate(pendulum(0.0), horizontal, options);
      options.events = {{"lowest", [](const EventPoint& p) { return p.q()[0]; }},
                        {"turn", [](const EventPoint& p) { return -1e-2 - p.q()[1]; }},
                        {"depth", [](const EventPoint& p) { return std::fmax(0.0, -p.q()[0]); }},
                        {"pull", [](const EventPoint& p) { return p.multiplier("rod") - 10.0; }}};
      Event timed;
      timed.name = "times";
      timed.times = {0.1, 0.1005, 5.0, 20.0};
      options.events.push_back(timed);
      const Simulation watched = simulate(pendulum(0.0), horizontal, options);
      BOOST_TEST(watched.report.steps == plain.report.steps);
      BOOST_REQUIRE(watched.trajectory.size() == plain.trajectory.size());
      for (std::size_t k = 0; k < plain.trajectory.size(); ++k)
        BOOST_REQUIRE(
            (watched.trajectory.q(k) == plain.trajectory.q(k) && watched.trajectory.t(k) == plain.trajectory.t(k)));
      std::map<std::string, int> counts;
      for (const EventRecord& event : watched.report.events) ++counts[event.name];
      BOOST_TEST(counts["lowest"] == 8);
      BOOST_TEST(counts["turn"] == 17);
      BOOST_TEST(counts["depth"] == 8);
      BOOST_TEST(counts["pull"] == 17);
      BOOST_TEST(counts["times"] == 3);
      for (std::size_t k = 1; k < watched.report.events.size(); ++k)
        BOOST_TEST(watched.report.events[k].t >= watched.report.events[k - 1].t);
    }
  }
}

namespace {

/// A cart of 1 kg under the force of an input.
struct Pushed {
  Input u{1.0};

  static constexpr int num_positions = 1;
  void describe_parameters(Parameters& p) { p.part("u", u, "force", "N"); }
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = T(1.0);
  }
  template <class T>
  void applied_force(T t, View<const T>, View<const T>, View<T> f) const {
    f[0] = u(t);
  }
};

std::shared_ptr<const MechanicalSystem> pushed() {
  Assembly assembly;
  const Block cart = assembly.add_coordinates("cart", 1);
  assembly.add("push", Pushed{}, {cart});
  return assembly.build();
}

}  // namespace

// 1 N up to 1 s, -2 N up to 1.3 s, then 0: v = 1, 0.4, 0.4 m/s; x = 0.5, 0.71, 0.71 + 0.4 (t - 1.3).
BOOST_AUTO_TEST_CASE(an_action_at_given_times_sets_an_input) {
  for (const Method& method : all_integrators) {
    BOOST_TEST_CONTEXT(method) {
      SimulationOptions options = options_of(method, 3.0, 1e-8);
      options.step = 7e-3;
      Event change;
      change.name = "change";
      change.times = {-1.0, 1.0, 1.3, 8.0};
      change.action = [](EventContext& c) { c.set_input("push.u", c.input("push.u") > 0.0 ? -2.0 : 0.0); };
      options.events = {change};
      for (int repetition = 0; repetition < 2; ++repetition) {  // inputs begin at their start values in each run
        const Simulation run = simulate(pushed(), {0.0, VectorXd::Zero(1), {}}, options);
        BOOST_TEST(run.status.finished(), run.status.message);
        const std::vector<double> found = times_of(run);
        BOOST_REQUIRE(found.size() == 2U);
        BOOST_TEST(std::abs(found[0] - 1.0) < 1e-14);
        BOOST_TEST(std::abs(found[1] - 1.3) < 1e-14);
        BOOST_TEST(std::abs(run.trajectory.velocity_at(3.0)[0] - 0.4) < 1e-6);
        BOOST_TEST(std::abs(run.trajectory.position_at(3.0)[0] - 1.39) < 1e-6);
        BOOST_TEST(run.report.events[0].done == "\"push.u\" = -2");
      }
    }
  }
}

// 3 N from the start on: v = 3 t, x = 1.5 t^2.
BOOST_AUTO_TEST_CASE(an_event_at_the_time_of_the_start_acts) {
  for (const Method& method : all_integrators) {
    BOOST_TEST_CONTEXT(method) {
      SimulationOptions options = options_of(method, 2.0, 1e-8);
      options.step = 7e-3;
      Event change;
      change.name = "change";
      change.times = {0.0};
      change.action = [](EventContext& c) { c.set_input("push.u", 3.0); };
      options.events = {change};
      const Simulation run = simulate(pushed(), {0.0, VectorXd::Zero(1), {}}, options);
      BOOST_TEST(run.status.finished(), run.status.message);
      BOOST_REQUIRE(times_of(run).size() == 1U);
      BOOST_TEST(times_of(run)[0] == 0.0);
      BOOST_TEST(std::abs(run.trajectory.velocity_at(2.0)[0] - 6.0) < 1e-6);
      BOOST_TEST(std::abs(run.trajectory.position_at(2.0)[0] - 6.0) < 1e-6);
    }
  }
}

BOOST_AUTO_TEST_CASE(inputs_that_events_set_are_those_of_the_stepper_and_of_its_checkpoint) {
  SimulationOptions options = options_of(usual, 3.0, 1e-8);
  Event change;
  change.name = "change";
  change.times = {1.0};
  change.action = [](EventContext& c) { c.set_input("push.u", -2.0); };
  options.events = {change};
  Stepper stepper(pushed(), {0.0, VectorXd::Zero(1), {}}, options);
  stepper.advance_to(1.2);
  BOOST_TEST(stepper.read("push.u") == -2.0);
  const Checkpoint checkpoint = stepper.save();
  stepper.advance_to(2.0);
  Stepper resumed(pushed(), checkpoint, options);
  resumed.advance_to(2.0);
  for (Stepper* each : {&stepper, &resumed}) {
    BOOST_TEST(std::abs(each->state().v[0] + 1.0) < 1e-6);
    BOOST_TEST(each->so_far().report.events.size() <= 1U);
    BOOST_TEST(each->finish().report.events.size() == 1U);
  }
}

BOOST_AUTO_TEST_CASE(wrong_events_with_times_and_inputs_are_refused_by_name) {
  const auto message = [](const Event& event) {
    SimulationOptions options;
    options.events = {event};
    try {
      const Simulation run = simulate(pushed(), {0.0, VectorXd::Zero(1), {}}, options);
      return run.status.message;
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  const auto timed = [](std::vector<double> times) {
    Event event;
    event.name = "change";
    event.times = std::move(times);
    return event;
  };
  BOOST_TEST(contains(message(timed({})), "has no root function and no times"));
  BOOST_TEST(contains(message(timed({0.2, 0.1})), "times[1] = 0.1: times must be finite and increase"));
  BOOST_TEST(contains(message(timed({NAN})), "times[0] = nan"));
  Event both = timed({0.1});
  both.root = [](const EventPoint& p) { return p.t(); };
  BOOST_TEST(contains(message(both), "make two events"));
  Event unknown = timed({0.1});
  unknown.action = [](EventContext& c) { c.set_input("push.v", 1.0); };
  BOOST_TEST(contains(message(unknown), "did you mean push.u"));
  Event infinite = timed({0.1});
  infinite.action = [](EventContext& c) { c.set_input("push.u", INFINITY); };
  BOOST_TEST(contains(message(infinite), "must be finite"));
}
