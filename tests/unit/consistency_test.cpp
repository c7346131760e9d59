#include <boost/test/unit_test.hpp>

#include <Eigen/Dense>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>

#include "mechanisms/mechanism.hpp"
#include "model/evaluation.hpp"
#include "models.hpp"

using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

struct Evaluated {
  MatrixXd M, G;
  VectorXd f, g, velocity, bias;
};

Evaluated at(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v) {
  const auto w = make_workspace(system, internal::Storage::dense);
  BOOST_REQUIRE(
      evaluate_system(system, internal::request::acceleration_level, {t, q.data(), v.data(), nullptr, nullptr}, *w));
  return {w->M.dense(), w->G.dense(), w->f, w->g, w->g_rate, w->gamma};
}

double max_abs(const VectorXd& x) {
  return x.size() == 0 ? 0.0 : x.lpNorm<Eigen::Infinity>();
}

/// The part of x that is not in the range of G^T.
double outside_range(const MatrixXd& G, const VectorXd& x) {
  const VectorXd y = G.transpose().completeOrthogonalDecomposition().solve(x);
  return max_abs(x - G.transpose() * y);
}

/// Linear holonomic and velocity constraints, full mass matrix with very different masses.
struct Linear {
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 1;
  static constexpr int num_velocity_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
    M(1, 1) = 20.0;
    M(2, 2) = 5.0;
    M(0, 1) = M(1, 0) = 2.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[2] = 1.0;
  }
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    g[0] = q[0] + 2.0 * q[1] - q[2] - 3.0 * t;
  }
  template <class T>
  void velocity_constraint(T, View<const T>, View<const T> v, View<T> psi) const {
    psi[0] = v[0] - 0.5 * v[1] + v[2] - 1.0;
  }
};

}  // namespace

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
    for (const char* solver : {"dense", "klu"}) {
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
  for (const char* solver : {"dense", "klu"}) {
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

namespace {

/// q - given, weighted, has no part along the constraints of the free coordinates.
double not_nearest(const Evaluated& e, const MatrixXd& W, const VectorXd& move, const std::vector<int>& fixed,
                   Eigen::Index rows) {
  MatrixXd G = e.G.topRows(rows);
  VectorXd force = W * move;
  for (const int j : fixed) {
    G.col(j).setZero();
    force[j] = 0.0;
  }
  return outside_range(G, force) / max_abs(force);
}

InitialState disturbed(const mechanisms::Mechanism& mechanism, double by) {
  InitialState start = mechanism.start;
  for (Eigen::Index i = 0; i < start.q.size(); ++i) start.q[i] += by * std::sin(3.0 * static_cast<double>(i) + 1.0);
  start.v = VectorXd::LinSpaced(start.q.size(), -1.0, 1.0);
  return start;
}

}  // namespace

BOOST_AUTO_TEST_CASE(result_is_the_nearest_configuration_in_every_metric) {
  for (const char* name : {"andrews", "chain", "n_four_bar"}) {
    const auto mechanism = mechanisms::find_mechanism(name).make(5);
    const InitialState given = disturbed(mechanism, 1e-2);
    const Eigen::Index n = given.q.size();
    for (const char* solver : {"dense", "klu"}) {
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

BOOST_AUTO_TEST_CASE(fixed_coordinates_keep_their_values_and_the_rest_is_nearest) {
  struct Case {
    const char* mechanism;
    std::vector<std::string> positions, velocities;
  };
  const std::vector<Case> cases{{"andrews", {"beta"}, {"beta"}},
                                {"chain", {"rod 1.phi", "rod 3.phi"}, {"rod 2.phi"}},
                                {"n_four_bar", {"B0[0]"}, {"B3[0]"}}};
  for (const Case& c : cases) {
    const auto mechanism = mechanisms::find_mechanism(c.mechanism).make(5);
    InitialState given = disturbed(mechanism, 1e-2);
    for (const char* solver : {"dense", "klu"}) {
      if (!linear_solver(solver).available) continue;
      for (const bool weighted : {false, true}) {
        for (const RankPolicy policy : {RankPolicy::minimum_norm, RankPolicy::strict}) {
          BOOST_TEST_CONTEXT(c.mechanism << ", " << solver << (weighted ? ", weights" : ", mass")) {
            ConsistencyOptions options;
            options.linear_solver.name = solver;
            options.linear_solver.rank_policy = policy;
            given.fixed_positions = c.positions;
            given.fixed_velocities = c.velocities;
            if (weighted)
              options.velocity_weights = options.position_weights = VectorXd::LinSpaced(given.q.size(), 0.5, 30.0);
            const ConsistentState result = consistent_state(mechanism.system, given, options);
            BOOST_REQUIRE_MESSAGE(result.report.status.finished(), result.report.status.message);
            const MotionState& s = result.state;
            const Evaluated e = at(*mechanism.system, s.t, s.q, s.v);
            const MatrixXd W = weighted ? MatrixXd(options.position_weights.asDiagonal()) : e.M;
            std::vector<int> fixed_q, fixed_v;
            for (const auto& name : c.positions) fixed_q.push_back(mechanism.system->position_indices(name).front());
            for (const auto& name : c.velocities) fixed_v.push_back(mechanism.system->position_indices(name).front());
            for (const int j : fixed_q) BOOST_TEST(s.q[j] == given.q[j]);
            for (const int j : fixed_v) BOOST_TEST(s.v[j] == given.v[j]);
            BOOST_TEST(max_abs(e.g) < 1e-14 * (1.0 + max_abs(s.q)));
            BOOST_TEST(max_abs(e.velocity) < 1e-12 * (1.0 + max_abs(s.v)));
            BOOST_TEST(not_nearest(e, W, s.q - given.q, fixed_q, e.G.rows()) < 1e-9);
            BOOST_TEST(not_nearest(e, W, s.v - given.v, fixed_v, e.G.rows()) < 1e-9);
            BOOST_TEST(max_abs(e.M * s.a + e.G.transpose() * s.lambda - e.f) < 1e-11 * (1.0 + max_abs(e.M * s.a)));
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(an_input_angle_and_rate_find_the_rest_of_a_loop) {
  // Andrews' squeezer driven to another crank angle; its crank rate sets all others.
  const auto mechanism = mechanisms::find_mechanism("andrews").make(0);
  InitialState given = mechanism.start;
  given.fixed_positions = given.fixed_velocities = {"beta"};
  for (int k = 0; k < 8; ++k) {  // from pose to pose, as the loop can be assembled in several ways
    given.q[0] += 0.1;
    given.v = VectorXd::Zero(7);
    given.v[0] = 250.0;
    const ConsistentState result = consistent_state(mechanism.system, given);
    BOOST_REQUIRE_MESSAGE(result.report.status.finished(), result.report.status.message);
    BOOST_TEST(result.state.q[0] == given.q[0]);
    BOOST_TEST(result.state.v[0] == 250.0);
    // one degree of freedom: dq/dbeta by the constraints alone
    const Evaluated e = at(*mechanism.system, 0.0, result.state.q, result.state.v);
    const VectorXd rates = -e.G.rightCols(6).fullPivLu().solve(e.G.col(0)) * 250.0;
    BOOST_TEST((result.state.v.tail(6) - rates).norm() < 1e-10 * (1.0 + rates.norm()));
    given.q = result.state.q;
  }
}

BOOST_AUTO_TEST_CASE(a_block_name_fixes_all_its_coordinates) {
  const auto mechanism = mechanisms::find_mechanism("chain").make(3);
  InitialState given = disturbed(mechanism, 1e-2);
  given.fixed_positions = {"rod 3"};
  const ConsistentState result = consistent_state(mechanism.system, given);
  BOOST_TEST(result.report.feasible);
  BOOST_TEST((result.state.q.tail(3) - given.q.tail(3)).norm() == 0.0);
  BOOST_TEST(result.report.moved_positions > 0.0);
}

BOOST_AUTO_TEST_CASE(everything_fixed_is_fine_if_it_is_consistent) {
  const auto system = make_system(test::Pendulum{});
  ConsistencyOptions options;
  for (const char* solver : {"dense", "klu"}) {
    if (!linear_solver(solver).available) continue;
    options.linear_solver.name = solver;
    const std::vector<std::string> all{"q0", "q1"};
    const InitialState good{0.0, Eigen::Vector2d(0.0, -1.0), Eigen::Vector2d(2.0, 0.0), all, all};
    const ConsistentState result = consistent_state(system, good, options);
    BOOST_TEST(result.report.status.finished());
    BOOST_TEST(std::abs(result.state.lambda[0] - (4.0 + 9.81)) < 1e-13);
    const InitialState moving{0.0, Eigen::Vector2d(0.0, -1.0), Eigen::Vector2d(2.0, 0.5), all, all};
    const ConsistencyReport report = consistent_state(system, moving, options).report;
    BOOST_TEST(to_string(report.status.outcome) == std::string("infeasible"));
    BOOST_TEST(!report.velocities_feasible);
    BOOST_TEST(report.status.message.find("\"q0\", \"q1\"") != std::string::npos, report.status.message);
    BOOST_TEST(report.status.message.find("velocities") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(too_many_fixed_positions_are_named_with_the_worst_constraint) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", 2), b = assembly.add_coordinates("b", 2);
  assembly.add("mass of a", PointMass{1.0}, {a});
  assembly.add("mass of b", PointMass{1.0}, {b});
  assembly.add("upper", DistanceToGround{0.0, 0.0, 1.0}, {a});
  assembly.add("lower", Distance{1.0}, {a, b});
  const auto system = assembly.build();
  for (const char* solver : {"dense", "klu"}) {
    if (!linear_solver(solver).available) continue;
    BOOST_TEST_CONTEXT(solver) {
      ConsistencyOptions options;
      options.linear_solver.name = solver;
      const ConsistencyReport far =
          consistent_state(system, {0.0, Eigen::Vector4d(0.5, -0.5, 2.0, -2.0), {}, {"b"}}, options).report;
      BOOST_TEST(!far.feasible);
      BOOST_TEST(!far.accelerations_known);
      BOOST_TEST(to_string(far.status.outcome) == std::string("infeasible"));
      BOOST_TEST(far.status.message.find("with \"b\" fixed") != std::string::npos, far.status.message);
      BOOST_TEST((far.worst_constraint == "upper" || far.worst_constraint == "lower"));
      BOOST_TEST(far.status.message.find("\"" + far.worst_constraint + "\"") != std::string::npos);
      BOOST_TEST((far.position_moves.tail(2)).norm() == 0.0);

      const std::vector<std::string> leaves_upper_without_coordinates{"a"};
      const InitialState away{0.0, Eigen::Vector4d(0.5, -0.5, 1.0, -1.0), {}, leaves_upper_without_coordinates};
      const ConsistencyReport off = consistent_state(system, away, options).report;
      BOOST_TEST(!off.feasible);
      BOOST_TEST(off.worst_constraint == "upper");

      const InitialState beside{0.0, Eigen::Vector4d(0.6, -0.8, 1.0, -1.0), {}, leaves_upper_without_coordinates};
      const ConsistentState near = consistent_state(system, beside, options);
      BOOST_TEST(near.report.status.finished(), near.report.status.message);
      const Eigen::Vector2d towards(0.4, -0.2);  // radially, the masses being equal
      BOOST_TEST((near.state.q.tail(2) - Eigen::Vector2d(0.6, -0.8) - towards.normalized()).norm() < 1e-10);
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

BOOST_AUTO_TEST_CASE(nonholonomic_rows_and_fixed_velocities) {
  const auto system = make_system(Linear{});
  InitialState given{0.4, Eigen::Vector3d(0.3, -0.7, 0.9), Eigen::Vector3d(1.0, 0.4, -0.6)};
  ConsistencyOptions options;
  given.fixed_velocities = {"q1"};
  for (const char* solver : {"dense", "klu"}) {
    if (!linear_solver(solver).available) continue;
    options.linear_solver.name = solver;
    const MotionState s = consistent_state(system, given, options).state;
    // v0 + 2 * 0.4 - v2 = 3 and v0 - 0.5 * 0.4 + v2 = 1
    BOOST_TEST((s.v - Eigen::Vector3d(1.7, 0.4, -0.5)).norm() < 1e-14);
    given.fixed_velocities = {"q1", "q2"};
    const ConsistencyReport report = consistent_state(system, given, options).report;
    BOOST_TEST(!report.feasible);
    BOOST_TEST(report.status.message.find("with \"q1\", \"q2\" fixed") != std::string::npos, report.status.message);
    given.fixed_velocities = {"q1"};
  }
  // nonlinear in v, rheonomic, with position-dependent mass
  const auto everything = make_system(test::Everything{});
  InitialState start{0.2, Eigen::Vector3d(0.7, 0.4, 0.5), Eigen::Vector3d(0.3, 0.2, 0.6)};
  start.fixed_velocities = start.fixed_positions = {"q1"};
  const MotionState s = consistent_state(everything, start, options).state;
  const Evaluated e = at(*everything, s.t, s.q, s.v);
  BOOST_TEST(s.q[1] == 0.4);
  BOOST_TEST(s.v[1] == 0.2);
  BOOST_TEST(max_abs(e.g) < 1e-15);
  BOOST_TEST(max_abs(e.velocity) < 1e-14);
  start.v[1] = -0.2;  // then psi, quadratic in v2, has no real root
  const ConsistencyReport none = consistent_state(everything, start, options).report;
  BOOST_TEST(!none.velocities_feasible);
  BOOST_TEST(to_string(none.status.outcome) == std::string("infeasible"));
}

namespace {

/// A slider without mass: only a velocity constraint ties it to the pendulum.
struct Massless {
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 1;
  static constexpr int num_velocity_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[1] = -9.81;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
  template <class T>
  void velocity_constraint(T, View<const T>, View<const T> v, View<T> psi) const {
    psi[0] = v[2] - v[0];
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(weights_replace_a_missing_mass) {
  const auto system = make_system(Massless{});
  InitialState given{0.0, Eigen::Vector3d(0.7, -0.8, 0.3), Eigen::Vector3d(1.0, 0.4, -0.6)};
  ConsistencyOptions options;
  given.fixed_positions = {"q0"};
  const ConsistencyReport stuck = consistent_state(system, given, options).report;
  BOOST_TEST(to_string(stuck.status.outcome) == std::string("rank_loss"));
  BOOST_TEST(stuck.status.message.find("position_weights") != std::string::npos, stuck.status.message);
  options.position_weights = Eigen::Vector3d::Ones();
  const ConsistentState result = consistent_state(system, given, options);
  BOOST_TEST(result.report.status.finished(), result.report.status.message);
  BOOST_TEST((result.state.q - Eigen::Vector3d(0.7, -std::sqrt(1.0 - 0.49), 0.3)).norm() < 1e-15);
}

BOOST_AUTO_TEST_CASE(p27_units_of_the_weights_do_not_matter) {
  const auto mechanism = mechanisms::find_mechanism("andrews").make(0);
  const InitialState given = disturbed(mechanism, 1e-2);
  ConsistencyOptions options;
  options.position_weights = VectorXd::LinSpaced(7, 0.5, 30.0);
  const VectorXd q = consistent_state(mechanism.system, given, options).state.q;
  options.position_weights *= 1e9;
  BOOST_TEST((consistent_state(mechanism.system, given, options).state.q - q).norm() < 1e-12);
}

BOOST_AUTO_TEST_CASE(redundant_constraints) {
  const InitialState given{0.0, Eigen::Vector2d(0.65, -0.8), Eigen::Vector2d(1.0, 0.2)};
  const ConsistentState plain = consistent_state(make_system(test::Pendulum{}), given);
  for (const char* solver : {"dense", "klu"}) {
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
