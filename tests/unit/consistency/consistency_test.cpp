// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>

#include "consistency_laws.hpp"
#include "models.hpp"

/// Consistent states: on the manifold, nearest to what was given, or a reason why there is none.
using namespace sunlagrange;
using namespace sunlagrange::test;

BOOST_AUTO_TEST_CASE(result_is_on_the_manifold) {
  struct Case {
    std::shared_ptr<const MechanicalSystem> system;
    InitialState given;
  };
  std::vector<Case> cases{
      {make_system(test::Everything{}), {0.2, Eigen::Vector3d(0.7, 0.4, 0.5), Eigen::Vector3d(0.3, -0.2, 0.6)}},
      {make_system(test::EverythingDouble{}), {0.2, Eigen::Vector3d(0.7, 0.4, 0.5), Eigen::Vector3d(0.3, -0.2, 0.6)}},
      {make_system(test::Pendulum{}), {0.0, Eigen::Vector2d(1.4, -0.9), Eigen::Vector2d(1.0, 2.0)}}};
  for (const char* name : {"andrews", "chain", "n_four_bar", "two_link"}) {
    const auto mechanism = mechanisms::find_mechanism(name).make(5);
    InitialState start = mechanism.start;
    for (Eigen::Index i = 0; i < start.q.size(); ++i) start.q[i] += 1e-3 * std::sin(3.0 * static_cast<double>(i) + 1.0);
    start.v = VectorXd::LinSpaced(start.q.size(), -1.0, 1.0);
    cases.push_back({mechanism.system, start});
  }
  for (const Case& c : cases) {
    for (const char* solver : {"dense", "klu", "block"}) {
      if (!linear_solver(solver).available) continue;
      ConsistencyOptions options;
      options.linear_solver.name = solver;
      const ConsistentState result = consistent_state(c.system, c.given, options);
      const MotionState& s = result.state;
      const Evaluated before = at(*c.system, c.given.t, c.given.q, c.given.v);
      const Evaluated e = at(*c.system, s.t, s.q, s.v);
      BOOST_TEST(result.report.feasible);
      BOOST_TEST(result.report.accelerations_known);
      BOOST_TEST(result.report.status.finished());
      const double scale = 1.0 + max_abs(s.q), rate = 1.0 + max_abs(s.v);
      BOOST_TEST(max_abs(e.g) < 1e-14 * scale);
      BOOST_TEST(max_abs(e.velocity) < 1e-9 * rate);  // psi may be nonlinear in v, or differenced
      BOOST_TEST(max_abs(e.M * s.a + e.G.transpose() * s.lambda - e.f) < 1e-11 * (1.0 + max_abs(e.M * s.a)));
      BOOST_TEST(max_abs(e.G * s.a - e.bias) < 1e-11 * (1.0 + max_abs(e.bias)));
      BOOST_TEST(result.report.position_violation_before == max_abs(before.g));
      BOOST_TEST(result.report.velocity_violation_before == max_abs(before.velocity));
      BOOST_TEST(result.report.position_violation_after == max_abs(e.g));
      BOOST_TEST(result.report.velocity_violation_after == max_abs(e.velocity));
      BOOST_TEST(result.report.moved_positions == max_abs(s.q - c.given.q));
      BOOST_TEST(result.report.moved_velocities == max_abs(s.v - c.given.v));
      BOOST_TEST(result.report.rank == c.system->num_constraints());
    }
  }
}

BOOST_AUTO_TEST_CASE(projection_is_mass_orthogonal) {
  const auto system = make_system(Linear{});
  const InitialState given{0.4, Eigen::Vector3d(0.3, -0.7, 0.9), Eigen::Vector3d(1.0, 0.4, -0.6)};
  const MotionState s = consistent_state(system, given).state;
  const Evaluated e = at(*system, s.t, s.q, s.v);
  BOOST_TEST(max_abs(e.g) < 1e-15);
  BOOST_TEST(max_abs(s.q - given.q) > 0.01);
  BOOST_TEST(outside_range(e.G.topRows(1), e.M * (s.q - given.q)) < 1e-13);
  BOOST_TEST(outside_range(e.G, e.M * (s.v - given.v)) < 1e-13);
}

BOOST_AUTO_TEST_CASE(velocity_projection_is_mass_orthogonal_in_a_mechanism) {
  const auto mechanism = mechanisms::find_mechanism("andrews").make(0);
  InitialState given = mechanism.start;
  given.v = VectorXd::LinSpaced(7, -3.0, 5.0);
  const MotionState s = consistent_state(mechanism.system, given).state;
  const Evaluated e = at(*mechanism.system, s.t, s.q, s.v);
  const VectorXd impulse = e.M * (s.v - given.v);
  BOOST_TEST(outside_range(e.G, impulse) < 1e-12 * max_abs(impulse));
}

BOOST_AUTO_TEST_CASE(p13_pendulum_multiplier) {
  const double theta = 0.7, omega = 2.0;
  const Eigen::Vector2d q(std::sin(theta), -std::cos(theta));
  const Eigen::Vector2d v(omega * std::cos(theta), omega * std::sin(theta));
  const ConsistentState result = consistent_state(make_system(test::Pendulum{}), {0.0, q, v});
  BOOST_TEST(std::abs(result.state.lambda[0] - (omega * omega + 9.81 * std::cos(theta))) < 1e-12);
  BOOST_TEST(std::abs(result.state.lambda[0] - 11.5031) < 5e-5);
  BOOST_TEST(result.report.moved_positions < 1e-15);
}

BOOST_AUTO_TEST_CASE(p13_violated_start_is_projected_not_carried_along) {
  const double theta = 0.7, omega = 2.0;
  Eigen::Vector2d q(std::sin(theta) + 1e-3, -std::cos(theta));
  const Eigen::Vector2d v(omega * std::cos(theta), omega * std::sin(theta));
  const ConsistentState result = consistent_state(make_system(test::Pendulum{}), {0.0, q, v});
  BOOST_TEST(std::abs(result.state.q.norm() - 1.0) < 1e-15);
  BOOST_TEST(std::abs(result.state.q.dot(result.state.v)) < 1e-15);
  // equal masses: the nearest point of the circle is the radial one
  BOOST_TEST((result.state.q - q.normalized()).norm() < 1e-6);
}

BOOST_AUTO_TEST_CASE(printed_two_link_start) {
  // The five-digit start violates the constraints by (-8.6e-8, 1.25e-5); consistent values with x0 = 0.295953.
  const auto mechanism = mechanisms::find_mechanism("two_link").make(0);
  const ConsistentState result = consistent_state(mechanism.system, mechanism.start);
  BOOST_TEST((result.state.q - Eigen::Vector2d(1.396270666, 3.563250158)).norm() < 2e-9);
  BOOST_TEST((result.state.v - Eigen::Vector2d(0.358621872, -0.867741836)).norm() < 2e-9);
  BOOST_TEST((result.state.a - Eigen::Vector2d(-0.029947, 0.080572)).norm() < 2e-6);
  BOOST_TEST(std::abs(result.report.position_violation_before - 1.25e-5) < 1e-7);
  BOOST_TEST(result.report.most_moved == "q2");
}

BOOST_AUTO_TEST_CASE(published_andrews_start) {
  const auto mechanism = mechanisms::find_mechanism("andrews").make(0);
  const ConsistentState result = consistent_state(mechanism.system, mechanism.start);
  BOOST_TEST(std::abs(result.state.a[0] - 14222.4439199541) < 1e-6);
  BOOST_TEST(std::abs(result.state.a[1] + 10666.8329399656) < 1e-6);
  BOOST_TEST(std::abs(result.state.lambda[0] - 98.5668703962411) < 1e-9);
  BOOST_TEST(std::abs(result.state.lambda[1] + 6.12268834425567) < 1e-9);
  for (int i = 2; i < 6; ++i) BOOST_TEST(std::abs(result.state.lambda[i]) < 1e-9);
}

BOOST_AUTO_TEST_CASE(infeasible_start_names_the_worst_constraint) {
  Assembly assembly;
  const Block good = assembly.add_coordinates("good", 2);
  const Block bad = assembly.add_coordinates("bad", 2);
  assembly.add("mass of good", PointMass{1.0}, {good});
  assembly.add("mass of bad", PointMass{1.0}, {bad});
  assembly.add("fine", DistanceToGround{0.0, 0.0, 1.0}, {good});
  assembly.add("near", DistanceToGround{0.0, 0.0, 1.0}, {bad});
  assembly.add("far", DistanceToGround{5.0, 0.0, 1.0}, {bad});
  const auto system = assembly.build();
  for (const char* solver : {"dense", "klu", "block"}) {
    if (!linear_solver(solver).available) continue;
    ConsistencyOptions options;
    options.linear_solver.name = solver;
    const ConsistentState result = consistent_state(system, {0.0, Eigen::Vector4d(0.9, 0.3, 1.2, 0.5), {}}, options);
    const ConsistencyReport& r = result.report;
    BOOST_TEST(!r.feasible);
    BOOST_TEST(!r.accelerations_known);
    BOOST_TEST(to_string(r.status.outcome) == std::string("infeasible"));
    BOOST_TEST((r.worst_constraint == "near" || r.worst_constraint == "far"));
    BOOST_TEST(r.status.message.find(r.worst_constraint) != std::string::npos);
    BOOST_TEST(r.position_violation_after > 1.0);
  }
}

BOOST_AUTO_TEST_CASE(end_of_reach_of_the_two_link_arm_is_infeasible) {
  const auto mechanism = mechanisms::find_mechanism("two_link").make(0);
  InitialState given{2.84, mechanism.reference(2.84)->q, {}};
  BOOST_TEST(consistent_state(mechanism.system, given).report.feasible);
  given.t = 2.86;
  const ConsistencyReport report = consistent_state(mechanism.system, given).report;
  BOOST_TEST(!report.feasible);
  BOOST_TEST(report.status.message.find("2.86") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(as_given_keeps_the_values) {
  const auto mechanism = mechanisms::find_mechanism("two_link").make(0);
  ConsistencyOptions options;
  options.start = Start::as_given;
  const ConsistentState result = consistent_state(mechanism.system, mechanism.start, options);
  BOOST_TEST((result.state.q - mechanism.start.q).norm() == 0.0);
  BOOST_TEST((result.state.v - mechanism.start.v).norm() == 0.0);
  BOOST_TEST(result.report.moved_positions == 0.0);
  BOOST_TEST(result.report.position_violation_after == result.report.position_violation_before);
  const Evaluated e = at(*mechanism.system, 0.0, mechanism.start.q, mechanism.start.v);
  BOOST_TEST(max_abs(e.G * result.state.a - e.bias) < 1e-12);  // acceleration level without feedback
}

BOOST_AUTO_TEST_CASE(as_given_says_what_is_violated) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", 2), b = assembly.add_coordinates("b", 2);
  assembly.add("mass of a", PointMass{1.0}, {a});
  assembly.add("mass of b", PointMass{1.0}, {b});
  assembly.add("good", DistanceToGround{0.0, 0.0, 1.0}, {a});
  assembly.add("off", DistanceToGround{0.0, 0.0, 1.0}, {b});
  const auto system = assembly.build();
  ConsistencyOptions options;
  options.start = Start::as_given;
  const Eigen::Vector4d off(0.6, 0.8, 0.6, 0.9);
  const ConsistentState positions = consistent_state(system, {0.0, off, {}}, options);
  BOOST_TEST(positions.report.status.finished());
  BOOST_TEST(positions.report.accelerations_known);
  BOOST_TEST(positions.report.worst_constraint == "off");
  BOOST_TEST(positions.report.worst_position_before == "off");
  BOOST_TEST(positions.report.worst_velocity_before == "");
  BOOST_TEST(std::abs(positions.report.position_violation_before - 0.085) < 1e-15);
  const std::string& story = positions.report.status.message;
  BOOST_TEST(story.find("max |g| = 0.085, worst in \"off\"") != std::string::npos, story);
  BOOST_TEST(story.find("g'") == std::string::npos, story);

  const Eigen::Vector4d on(0.6, 0.8, 0.6, 0.8), drifting(0.5, 0.0, 0.8, -0.6);
  const ConsistentState velocities = consistent_state(system, {0.0, on, drifting}, options);
  BOOST_TEST(velocities.report.worst_constraint == "good");
  BOOST_TEST(velocities.report.status.message.find("max |(g', psi)| = 0.3, worst in \"good\"") != std::string::npos);
  const ConsistentState clean = consistent_state(system, {0.0, on, Eigen::Vector4d(0.8, -0.6, 0.0, 0.0)}, options);
  BOOST_TEST(clean.report.status.message == "");

  SimulationOptions run;
  run.start = Start::as_given;
  run.t_end = 0.1;
  const Simulation simulation = simulate(system, {0.0, off, {}}, run);
  BOOST_TEST(simulation.status.finished());
  BOOST_TEST(simulation.report.text(simulation.status).find(story) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(result_is_the_nearest_configuration_in_every_metric) {
  for (const char* name : {"andrews", "chain", "n_four_bar"}) {
    const auto mechanism = mechanisms::find_mechanism(name).make(5);
    const InitialState given = disturbed(mechanism, 1e-2);
    const Eigen::Index n = given.q.size();
    for (const char* solver : {"dense", "klu", "block"}) {
      if (!linear_solver(solver).available) continue;
      for (const bool weighted : {false, true}) {
        BOOST_TEST_CONTEXT(name << ", " << solver << (weighted ? ", weights" : ", mass")) {
          ConsistencyOptions options;
          options.linear_solver.name = solver;
          if (weighted) {
            options.position_weights = VectorXd::LinSpaced(n, 0.5, 30.0);
            options.velocity_weights = VectorXd::LinSpaced(n, 7.0, 0.1);
          }
          const ConsistentState result = consistent_state(mechanism.system, given, options);
          BOOST_REQUIRE_MESSAGE(result.report.status.finished(), result.report.status.message);
          const MotionState& s = result.state;
          const Evaluated e = at(*mechanism.system, s.t, s.q, s.v);
          const MatrixXd Wq = weighted ? MatrixXd(options.position_weights.asDiagonal()) : e.M;
          const MatrixXd Wv = weighted ? MatrixXd(options.velocity_weights.asDiagonal()) : e.M;
          BOOST_TEST(max_abs(e.g) < 1e-14 * (1.0 + max_abs(s.q)));
          BOOST_TEST(max_abs(e.velocity) < 1e-12 * (1.0 + max_abs(s.v)));
          BOOST_TEST(not_nearest(e, Wq, s.q - given.q, {}, e.G.rows()) < 1e-9);
          BOOST_TEST(not_nearest(e, Wv, s.v - given.v, {}, e.G.rows()) < 1e-9);
          BOOST_TEST((result.report.position_moves - (s.q - given.q)).norm() == 0.0);
          BOOST_TEST((result.report.velocity_moves - (s.v - given.v)).norm() == 0.0);
          const std::vector<int> moved = mechanism.system->position_indices(result.report.most_moved);
          BOOST_REQUIRE(moved.size() == 1U);
          BOOST_TEST(std::abs(result.report.position_moves[moved.front()]) == result.report.moved_positions);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_velocity_that_is_removed_completely_is_no_violation) {
  const ConsistencyReport report =
      consistent_state(make_system(test::Pendulum{}), {0.0, Eigen::Vector2d(0.6, -0.8), Eigen::Vector2d(0.6, -0.8)})
          .report;
  BOOST_TEST(report.velocities_feasible);
  BOOST_TEST(report.status.message == "");
  BOOST_TEST(report.most_moved_velocity == "q1");
}

BOOST_AUTO_TEST_CASE(velocities_that_a_singular_configuration_forbids_are_remarked) {
  // The stretched two-link arm at the end of its reach: the support moves on, the arm cannot follow.
  const auto mechanism = mechanisms::find_mechanism("two_link").make(0);
  const double t = (0.295953 + std::sqrt(2.0)) / 0.6;
  const InitialState stretched{t, Eigen::Vector2d(M_PI - std::asin(1.0 / 3.0), 0.0), {}};
  const ConsistencyReport report = consistent_state(mechanism.system, stretched).report;
  BOOST_TEST(report.feasible);
  BOOST_TEST(!report.velocities_feasible);
  BOOST_TEST(report.status.message.find("singular") != std::string::npos, report.status.message);
}

BOOST_AUTO_TEST_CASE(redundant_constraints) {
  const InitialState given{0.0, Eigen::Vector2d(0.65, -0.8), Eigen::Vector2d(1.0, 0.2)};
  const ConsistentState plain = consistent_state(make_system(test::Pendulum{}), given);
  for (const char* solver : {"dense", "klu", "block"}) {
    if (!linear_solver(solver).available) continue;
    BOOST_TEST_CONTEXT(solver) {
      ConsistencyOptions options;
      options.linear_solver.name = solver;
      const ConsistentState twice = consistent_state(make_system(test::RedundantPendulum{}), given, options);
      BOOST_TEST(twice.report.feasible);
      BOOST_TEST(twice.report.rank == 1);
      BOOST_TEST((twice.state.q - plain.state.q).norm() < 1e-12);
      BOOST_TEST((twice.state.v - plain.state.v).norm() < 1e-12);
      BOOST_TEST((twice.state.a - plain.state.a).norm() < 1e-11);
      const double lambda = plain.state.lambda[0] / 5.0;
      BOOST_TEST((twice.state.lambda - Eigen::Vector2d(lambda, 2.0 * lambda)).norm() < 1e-7 * std::abs(lambda));
      options.linear_solver.rank_policy = RankPolicy::strict;
      const ConsistentState strict = consistent_state(make_system(test::RedundantPendulum{}), given, options);
      BOOST_TEST(to_string(strict.report.status.outcome) == std::string("rank_loss"));
      BOOST_TEST(!strict.report.accelerations_known);
    }
  }
}

BOOST_AUTO_TEST_CASE(wrong_input_is_listed_completely) {
  const auto system = make_system(test::Pendulum{});
  const InitialState wrong{std::nan(""), Eigen::Vector3d::Zero(), Eigen::Vector2d(std::nan(""), 0.0)};
  BOOST_CHECK_EXCEPTION(consistent_state(system, wrong), Error, [](const Error& error) {
    const std::string what = error.what();
    return what.find("q has 3 entries") != std::string::npos && what.find("v contains") != std::string::npos &&
           what.find("t is not finite") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(wrong_options_are_listed_completely) {
  const auto system = make_system(test::Pendulum{});
  const InitialState given{0.0, Eigen::Vector2d(0.6, -0.8), {}, {"q0", "crank"}, {"rod"}};
  ConsistencyOptions options;
  options.position_weights = Eigen::Vector3d::Ones();
  options.velocity_weights = Eigen::Vector2d(1.0, -2.0);
  BOOST_CHECK_EXCEPTION(consistent_state(system, given, options), Error, [](const Error& error) {
    const std::string what = error.what();
    for (const char* part :
         {"fixed_positions", "\"crank\"", "fixed_velocities", "\"rod\"", "known positions", "\"q0\", \"q1\"",
          "position_weights has 3 entries", "velocity_weights[1] (\"q1\") = -2: must be positive"}) {
      if (what.find(part) == std::string::npos) return false;
    }
    return true;
  });
  BOOST_CHECK_THROW(consistent_state(nullptr, given), Error);
}

BOOST_AUTO_TEST_CASE(empty_velocity_means_at_rest) {
  const auto system = make_system(test::Pendulum{});
  BOOST_TEST(consistent_state(system, {0.0, Eigen::Vector2d(0.6, -0.8), {}}).state.v.norm() == 0.0);
}
