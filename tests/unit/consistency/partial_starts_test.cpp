// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>

#include "consistency_laws.hpp"
#include "models.hpp"

/// Consistent states from partial data: coordinates and rates that are held, weights.
using namespace sunlagrange;
using namespace sunlagrange::test;

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
    for (const char* solver : {"dense", "klu", "block"}) {
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
  for (const char* solver : {"dense", "klu", "block"}) {
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
  for (const char* solver : {"dense", "klu", "block"}) {
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

BOOST_AUTO_TEST_CASE(nonholonomic_rows_and_fixed_velocities) {
  const auto system = make_system(Linear{});
  InitialState given{0.4, Eigen::Vector3d(0.3, -0.7, 0.9), Eigen::Vector3d(1.0, 0.4, -0.6)};
  ConsistencyOptions options;
  given.fixed_velocities = {"q1"};
  for (const char* solver : {"dense", "klu", "block"}) {
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
