// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <Eigen/Dense>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>

#include "mechanisms/mechanism.hpp"
#include "model/evaluation.hpp"
#include "models.hpp"

/// Ideal reactions and stabilising control forces, for every formulation.
using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

namespace {

const InitialState off_manifold{0.3, Eigen::Vector3d(0.7, 0.4, 0.5), Eigen::Vector3d(0.3, -0.2, 0.6)};

FormulationOptions options_for(std::string_view formulation) {
  FormulationOptions options;
  options.formulation = std::string(formulation);
  options.gains.K_D = Gain(3.0);
  options.gains.K_P = Gain(7.0);
  options.gains.K_N = Gain(2.0);
  return options;
}

struct Matrices {
  MatrixXd M, G;
  VectorXd f, bias, position, velocity;
};

Matrices matrices(const MechanicalSystem& system, const InitialState& s) {
  const auto w = make_workspace(system, internal::Storage::dense);
  BOOST_REQUIRE(evaluate_system(system, internal::request::acceleration_level,
                                {s.t, s.q.data(), s.v.data(), nullptr, nullptr}, *w));
  return {w->M.dense(), w->G.dense(), w->f, w->gamma, w->g, w->g_rate};
}

/// A point held at the origin.
struct Pin {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 2;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[0];
    g[1] = q[1];
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(defining_equations_hold_for_every_formulation) {
  const auto system = make_system(test::Everything{});
  const Matrices p = matrices(*system, off_manifold);
  for (const FormulationInfo& form : formulations()) {
    for (const char* solver : {"dense", "klu", "block"}) {
      if (!linear_solver(solver).available || !objection(form.name, *system, "").empty()) continue;
      BOOST_TEST_CONTEXT(form.name << ", " << solver) {
        FormulationOptions options = options_for(form.name);
        options.linear_solver.name = solver;
        const Reactions r = reactions(system, off_manifold, options);
        BOOST_REQUIRE_MESSAGE(r.status.finished(), r.status.message);
        // ideal: [M G^T; G 0] (a, lambda) = (f, gamma)
        BOOST_TEST((p.M * r.ideal_acceleration + p.G.transpose() * r.ideal - p.f).norm() < 1e-12);
        BOOST_TEST((p.G * r.ideal_acceleration - p.bias).norm() < 1e-12);
        // as integrated: M a + G^T (ideal + stabilizing) = f
        BOOST_TEST((p.M * r.acceleration - p.f - r.generalized_force - r.stabilizing_force).norm() < 1e-12);
        BOOST_TEST((r.generalized_force + p.G.transpose() * r.ideal).norm() < 1e-14);
        BOOST_TEST((MatrixXd(r.jacobian) - p.G).norm() == 0.0);
        BOOST_TEST((r.position_violation - p.position).norm() == 0.0);
        BOOST_TEST((r.velocity_violation - p.velocity).norm() == 0.0);
        BOOST_TEST((r.acceleration_violation - (p.G * r.acceleration - p.bias)).norm() < 1e-12);
        BOOST_TEST(r.rank == 2);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(acceleration_violation_is_the_feedback_law) {
  const auto system = make_system(test::Everything{});
  const Matrices p = matrices(*system, off_manifold);
  const Vector2d feedback = -Vector2d(3.0 * p.velocity[0] + 7.0 * p.position[0], 2.0 * p.velocity[1]);
  for (const char* form : {"baumgarte", "index1", "augmented_lagrangian", "extended_lagrangian"}) {
    const Reactions r = reactions(system, off_manifold, options_for(form));
    BOOST_TEST((r.acceleration_violation - feedback).norm() < 1e-10, form);
    BOOST_TEST(r.stabilizing.norm() > 0.1);
  }
  for (const char* form : {"penalty", "index1"}) {  // g'' + K_D g' + K_P g = C lambda, lambda with both parts
    FormulationOptions options = options_for(form);
    options.gains.Lambda = Gain(50.0);
    const Reactions r = reactions(system, off_manifold, options);
    BOOST_TEST((r.acceleration_violation - feedback - (r.ideal + r.stabilizing) / 50.0).norm() < 1e-12, form);
  }
}

BOOST_AUTO_TEST_CASE(forms_without_feedback_have_no_stabilising_part) {
  const auto system = make_system(test::Everything{});
  for (const char* form : {"unstabilized", "projected", "index2", "ggl", "stabilized_index1", "index3"}) {
    const Reactions r = reactions(system, off_manifold, options_for(form));
    BOOST_REQUIRE(r.status.finished());
    BOOST_TEST(r.stabilizing.norm() == 0.0, form);
    BOOST_TEST((r.acceleration - r.ideal_acceleration).norm() == 0.0, form);
  }
}

BOOST_AUTO_TEST_CASE(excess_energy_gives_the_control_force_of_the_papers) {
  // lambda1 = -s^-1 v_y' in our sign, with v_y' = -m^-1 (k y + c v_y): [003, (1.18)].
  const auto system = make_system(test::Everything{});
  const Matrices p = matrices(*system, off_manifold);
  const MatrixXd mass = (MatrixXd(2, 2) << 2.0, 0.3, 0.3, 1.0).finished();
  FormulationOptions options;
  options.formulation = "extended_lagrangian";
  options.excess.mass = [mass](double, const VectorXd&, MatrixXd& m) { m = mass; };
  options.excess.stiffness = [](double, const VectorXd&, MatrixXd& k) { k(0, 0) = 5.0; };
  options.excess.dissipation = [](double, const VectorXd&, const VectorXd&, MatrixXd& c) { c(0, 0) = c(1, 1) = 3.0; };
  const Reactions r = reactions(system, off_manifold, options);
  const VectorXd law = -mass.ldlt().solve(Vector2d(5.0 * p.position[0], 0.0) + 3.0 * p.velocity);
  const MatrixXd s = p.G * p.M.ldlt().solve(p.G.transpose());
  BOOST_TEST((r.stabilizing + s.ldlt().solve(law)).norm() < 1e-9 * r.stabilizing.norm());
  options.formulation = "baumgarte";
  BOOST_CHECK_THROW(reactions(system, off_manifold, options), Error);
}

BOOST_AUTO_TEST_CASE(the_tangential_force_of_state_dependent_excess_energy_closes_the_equations_of_motion) {
  // M a + G^T lambda = f + m2 with m2_i = v_y^T (dm/dq_i - dc/dv_i) v_y / 2 - y^T dk/dq_i y / 2, by hand.
  const auto system = make_system(test::Everything{});
  const Matrices p = matrices(*system, off_manifold);
  FormulationOptions options;
  options.formulation = "extended_lagrangian";
  options.excess.mass = [](double, const VectorXd& q, MatrixXd& m) {
    m << 2.0 + q[0] * q[0], 0.1 * q[1], 0.1 * q[1], 1.5;
  };
  options.excess.stiffness = [](double, const VectorXd& q, MatrixXd& k) { k(0, 0) = 5.0 + std::sin(q[2]); };
  options.excess.dissipation = [](double, const VectorXd&, const VectorXd& v, MatrixXd& c) {
    c(0, 0) = 3.0 + v[0] * v[0];
    c(1, 1) = 4.0;
  };
  const Reactions r = reactions(system, off_manifold, options);
  BOOST_REQUIRE_MESSAGE(r.status.finished(), r.status.message);
  const VectorXd& q = off_manifold.q;
  const VectorXd& v = off_manifold.v;
  const double y = p.position[0], a = p.velocity[0], b = p.velocity[1];
  const Eigen::Vector3d m2(q[0] * a * a - v[0] * a * a, 0.1 * a * b, -0.5 * std::cos(q[2]) * y * y);
  BOOST_TEST(m2.norm() > 1e-3);
  BOOST_TEST((r.tangential_force - m2).norm() < 1e-9);
  BOOST_TEST((p.M * r.acceleration - p.f - r.tangential_force - r.generalized_force - r.stabilizing_force).norm() <
             1e-12);
  for (const char* form : {"baumgarte", "penalty", "projected"})
    BOOST_TEST(reactions(system, off_manifold, options_for(form)).tangential_force.norm() == 0.0, form);
}

BOOST_AUTO_TEST_CASE(a_hanging_mass_pulls_at_its_rod_with_its_weight) {
  Assembly assembly;
  const Block top = assembly.add_coordinates("top", 2), mass = assembly.add_coordinates("mass", 2);
  assembly.add("inertia of top", PointMass{1.0}, {top});
  assembly.add("inertia", PointMass{2.0}, {mass});
  assembly.add("weight", UniformGravity{2.0}, {mass});
  assembly.add("ceiling", Pin{}, {top});
  assembly.add("rod", Distance{1.0}, {top, mass});
  const auto system = assembly.build();
  const Reactions r = reactions(system, {0.0, (VectorXd(4) << 0.0, 0.0, 0.0, -1.0).finished(), {}});
  BOOST_REQUIRE(r.status.finished());
  const VectorXd rod = r.force_of("rod"), ceiling = r.force_of("ceiling");
  const double weight = 2.0 * 9.81;
  BOOST_TEST(std::abs(rod[3] / weight - 1.0) < 1e-12);  // upwards on the mass
  BOOST_TEST(std::abs(rod[1] + rod[3]) < 1e-12);        // and downwards on the top
  BOOST_TEST(std::abs(ceiling[1] + rod[1]) < 1e-12);    // which the ceiling holds
  BOOST_TEST((rod + ceiling - r.generalized_force).norm() < 1e-12);
  BOOST_TEST(r.rows("ceiling").size() == 2u);
  BOOST_TEST(r.ideal_of("ceiling").size() == 2);
  BOOST_TEST(r.ideal_of("ceiling[1]")[0] == r.ideal[r.rows("ceiling[1]")[0]]);
  BOOST_TEST(r.stabilizing_of("rod").size() == 1);
  BOOST_CHECK_EXCEPTION(r.rows("rope"), Error,
                        [](const Error& e) { return std::string(e.what()).find("ceiling[0]") != std::string::npos; });
  BOOST_CHECK_THROW(r.rows("ro"), Error);  // a beginning is not a name
}

BOOST_AUTO_TEST_CASE(evaluator_follows_a_run_with_the_gains_of_its_start) {
  const auto pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SimulationOptions run_options;
  run_options.t_end = 1.0;
  const Simulation run = simulate(pendulum.system, pendulum.start, run_options);
  BOOST_REQUIRE(run.status.finished());
  FormulationOptions options;
  options.t_span = run_options.t_end;
  ReactionEvaluator evaluator(pendulum.system, pendulum.start, options);
  const Trajectory& path = run.trajectory;
  for (std::size_t k = 1; k < path.size(); k += 7) {
    const Reactions r = evaluator.at(path.t(k), path.q(k), path.v(k));
    BOOST_REQUIRE(r.status.finished());
    BOOST_TEST((r.ideal - path.lambda(k)).norm() < 1e-12 * (1.0 + r.ideal.norm()));
    // The integrator's own v' solves the same equations up to its local error; the ideal one is farther away.
    BOOST_TEST((r.acceleration - path.a(k)).norm() < 1e-3);
  }
}

BOOST_AUTO_TEST_CASE(p22_redundant_rows_have_one_force_and_many_multipliers) {
  const InitialState state{0.0, Vector2d(0.6, -0.8), Vector2d(0.8, 0.6)};
  test::RedundantPendulum two, twenty;
  twenty.scale = 20.0;
  const Reactions plain = reactions(make_system(test::Pendulum{}), state);
  const Reactions a = reactions(make_system(two), state), b = reactions(make_system(twenty), state);
  BOOST_TEST(plain.rank == 1);
  BOOST_TEST(a.rank == 1);
  BOOST_TEST((a.generalized_force - plain.generalized_force).norm() < 1e-11 * plain.generalized_force.norm());
  BOOST_TEST((b.generalized_force - plain.generalized_force).norm() < 1e-11 * plain.generalized_force.norm());
  BOOST_TEST(std::abs(a.ideal[0] - b.ideal[0]) > 0.1 * std::abs(plain.ideal[0]));
}

BOOST_AUTO_TEST_CASE(numerical_failures_are_a_status_and_misuse_throws) {
  const InitialState state{0.0, Vector2d(0.6, -0.8), {}};
  FormulationOptions strict;
  strict.linear_solver.rank_policy = RankPolicy::strict;
  const Reactions r = reactions(make_system(test::RedundantPendulum{}), state, strict);
  BOOST_TEST(to_string(r.status.outcome) == std::string("rank_loss"));
  BOOST_TEST(!r.status.message.empty());
  BOOST_TEST(r.ideal.size() == 0);
  BOOST_TEST(r.names.size() == 2u);
  FormulationOptions unknown;
  unknown.formulation = "nonsense";
  const auto system = make_system(test::Pendulum{});
  BOOST_CHECK_THROW(reactions(system, state, unknown), Error);
  BOOST_CHECK_THROW(reactions(nullptr, state), Error);
  BOOST_CHECK_THROW(ReactionEvaluator(system, state).at(0.0, VectorXd::Zero(3), VectorXd::Zero(2)), Error);
}
