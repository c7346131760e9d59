// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <Eigen/Dense>

#include "model/evaluation.hpp"
#include "runs.hpp"

/// The two-link arm of the paper: fold at t = 0.493255, end of reach at t = 2.850278, published and recomputed states.
using namespace sunlagrange;
using Eigen::Vector2d;
using mechanisms::find_mechanism;
using test::options_of;

namespace {

constexpr double fold = 0.493255, end_of_reach = 2.850278;

struct State {
  double t, q1, q2;
};

double distance(const Simulation& run, const State& s) {
  return (run.trajectory.position_at(s.t) - Vector2d(s.q1, s.q2)).lpNorm<Eigen::Infinity>();
}

/// Printed start, as given.
SimulationOptions as_given(const mechanisms::Mechanism& arm, const std::string& formulation,
                           const std::string& integrator, double tolerance, double t_end) {
  SimulationOptions options = options_of(arm, formulation, integrator, tolerance);
  options.start = Start::as_given;
  options.t_end = t_end;
  return options;
}

Gains penalty_gains(double p, double s, double Lambda) {
  Gains gains;
  gains.K_D = Gain(std::vector<double>{20.0, 10.0});
  gains.K_P = Gain(std::vector<double>{p, s});
  gains.Lambda = Gain(Lambda);
  return gains;
}

}  // namespace

BOOST_AUTO_TEST_CASE(p1_speed_and_special_times_follow_from_the_printed_start) {
  const auto arm = find_mechanism("two_link").make(0);
  const auto w = make_workspace(*arm.system, internal::Storage::dense);
  const auto velocity = [&](double t) {
    BOOST_REQUIRE(evaluate_system(*arm.system, internal::request::constraint,
                                  {t, arm.start.q.data(), arm.start.v.data(), nullptr, nullptr}, *w));
    return Vector2d(w->g_rate[0], w->g_rate[1]);
  };
  // g' = J v + (0, 0.6) is at the level of the printed digits only for v = 0.6.
  BOOST_TEST(velocity(0.0).lpNorm<Eigen::Infinity>() < 1e-6);
  const Eigen::VectorXd before = arm.reference(fold - 1e-4)->q, after = arm.reference(fold + 1e-4)->q;
  const double pi = std::acos(-1.0);
  BOOST_TEST(((before[1] - pi) > 0.0 && (after[1] - pi) < 0.0));
  BOOST_TEST(arm.reference(end_of_reach - 1e-6).has_value());
  BOOST_TEST(!arm.reference(end_of_reach + 1e-5).has_value());
}

BOOST_AUTO_TEST_CASE(p2_corrected_mass_and_forces_conserve_energy) {
  // Check values of the corrected inertia, and the printed one beside it.
  const auto corrected = find_mechanism("two_link").make(0).system;
  const auto printed = find_mechanism("two_link_as_printed").make(0).system;
  const auto w = make_workspace(*corrected, internal::Storage::dense);
  const Vector2d straight(0.3, 0.0), rest(0.0, 0.0), q(1.0, 0.5);
  BOOST_REQUIRE(
      evaluate_system(*corrected, internal::request::mass, {0.0, straight.data(), rest.data(), nullptr, nullptr}, *w));
  BOOST_TEST(std::abs(w->M(0, 0) - (2.0625 + 1.0 / 6.0 + 1.0 / 48.0)) < 1e-14);
  BOOST_REQUIRE(
      evaluate_system(*corrected, internal::request::energy, {0.0, q.data(), rest.data(), nullptr, nullptr}, *w));
  BOOST_TEST(std::abs(w->energy - 18.956017) < 5e-7);
  BOOST_REQUIRE(
      evaluate_system(*printed, internal::request::mass, {0.0, straight.data(), rest.data(), nullptr, nullptr}, *w));
  BOOST_TEST(std::abs(w->M(0, 0) - (0.5 + 0.167 + 0.208)) < 1e-14);
  BOOST_TEST(corrected->energy_known());
  BOOST_TEST(!printed->energy_known());
  // Free motion: along M a = f energy does not change.
  const Vector2d v(0.7, -1.9);
  const auto energy = [&](const Vector2d& at, const Vector2d& rate) {
    BOOST_REQUIRE(
        evaluate_system(*corrected, internal::request::energy, {0.0, at.data(), rate.data(), nullptr, nullptr}, *w));
    return w->energy;
  };
  BOOST_REQUIRE(evaluate_system(*corrected, internal::request::mass | internal::request::force,
                                {0.0, q.data(), v.data(), nullptr, nullptr}, *w));
  const Vector2d a = Eigen::Map<const Eigen::Matrix2d>(w->M.data()).inverse() * Eigen::Map<const Vector2d>(w->f.data());
  const double s = 1e-5;
  BOOST_TEST(std::abs(energy(q + s * v + 0.5 * s * s * a, v + s * a) - energy(q - s * v + 0.5 * s * s * a, v - s * a)) /
                 (2.0 * s) <
             1e-7);
}

BOOST_AUTO_TEST_CASE(p2_free_motion_of_the_printed_model_blows_up) {
  // Without the constraints, from q = (1, 1/2) at rest, classical Runge-Kutta: the corrected arm keeps its energy, the
  // printed M and Q are no mechanical system and diverge at t = 1.365 s.
  const auto blow_up = [](const char* name, double t_end, double& energy_error) {
    const auto system = find_mechanism(name).make(0).system;
    const auto w = make_workspace(*system, internal::Storage::dense);
    const auto rates = [&](const Eigen::Vector4d& y) {
      const unsigned what = internal::request::mass | internal::request::force |
                            (system->energy_known() ? internal::request::energy : 0U);
      BOOST_REQUIRE(evaluate_system(*system, what, {0.0, y.data(), y.data() + 2, nullptr, nullptr}, *w));
      Eigen::Vector4d rate;
      rate << y.tail<2>(),
          Eigen::Map<const Eigen::Matrix2d>(w->M.data()).inverse() * Eigen::Map<const Vector2d>(w->f.data());
      return rate;
    };
    Eigen::Vector4d y(1.0, 0.5, 0.0, 0.0);
    rates(y);
    const double energy = w->energy, h = 1e-4;
    for (double t = 0.0; t < t_end; t += h) {
      const Eigen::Vector4d k1 = rates(y), k2 = rates(y + 0.5 * h * k1), k3 = rates(y + 0.5 * h * k2),
                            k4 = rates(y + h * k3);
      y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
      if (!(y.tail<2>().norm() < 1e3)) return t;
    }
    rates(y);
    energy_error = std::abs(w->energy - energy);
    return t_end;
  };
  double error = 1.0;
  BOOST_TEST(blow_up("two_link", 10.0, error) == 10.0);
  BOOST_TEST(error < 1e-8);
  BOOST_TEST(std::abs(blow_up("two_link_as_printed", 2.0, error) - 1.365) < 5e-3);
}

BOOST_AUTO_TEST_CASE(p4_strict_policy_stops_at_the_fold) {
  const auto arm = find_mechanism("two_link").make(0);
  for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5"}) {
    for (const double tolerance : {1e-8, 1e-10}) {
      BOOST_TEST_CONTEXT(integrator << ", " << tolerance) {
        SimulationOptions options = as_given(arm, "baumgarte", integrator, tolerance, 0.6);
        options.linear_solver.rank_policy = RankPolicy::strict;
        options.max_steps = 20000;
        const Simulation run = simulate(arm.system, arm.start, options);
        BOOST_TEST(to_string(run.status.outcome) == std::string("rank_loss"));
        BOOST_TEST(run.report.t_reached >= 0.4931);
        BOOST_TEST(run.report.t_reached <= 0.49326);
        BOOST_TEST(run.report.steps <= 20000);
        BOOST_TEST(run.trajectory.t(run.trajectory.size() - 1) == run.report.t_reached);
        BOOST_TEST(run.status.message.find("of P") != std::string::npos, run.status.message);  // names a constraint
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(p3_p4_minimum_norm_crosses_on_the_smooth_branch) {
  const State states[] = {{0.1, 1.43198734, 3.47686450},
                          {0.4, 1.53800897, 3.22074985},
                          {0.6, 1.60831926, 3.05098405},
                          {1.0, 1.75016215, 2.70822255},
                          {2.0, 2.14048554, 1.75452732}};
  const auto arm = find_mechanism("two_link").make(0);
  for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5"}) {
    // The printed start violates the constraints by 1.25e-5: when the fold lets go of that depends on the cutoff, and
    // the states are those of a pseudo-inverse with cutoff 1e-6.
    SimulationOptions options = as_given(arm, "baumgarte", integrator, 1e-10, 2.1);
    options.linear_solver.rank_threshold = 1e-6;
    const Simulation run = simulate(arm.system, arm.start, options);
    BOOST_TEST_CONTEXT(integrator) {
      BOOST_REQUIRE(run.status.finished());
      for (const State& s : states) BOOST_TEST(distance(run, s) < 1e-6, "t = " << s.t << ": " << distance(run, s));
      BOOST_TEST(std::abs(run.trajectory.position_at(0.6)[1] - 3.2322) > 0.1);  // the reflected branch
      BOOST_TEST(!run.report.rank_events.empty());
      BOOST_TEST(run.report.max_position_violation < 1.3e-5);
    }
  }
}

BOOST_AUTO_TEST_CASE(p3_p4_consistent_starts_cross_on_the_exact_motion) {
  const auto arm = find_mechanism("two_link").make(0);
  for (const char* integrator : {"cvode_bdf", "cvode_adams", "dopri5"}) {
    SimulationOptions options = options_of(arm, "baumgarte", integrator, 1e-10);
    options.start = Start::consistent;
    options.t_end = 2.1;
    const Simulation run = simulate(arm.system, arm.start, options);
    BOOST_TEST_CONTEXT(integrator) {
      BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
      for (const double t : {0.1, 0.4, 0.6, 1.0, 2.0}) {
        const double error = (run.trajectory.position_at(t) - arm.reference(t)->q).lpNorm<Eigen::Infinity>();
        BOOST_TEST(error < 1e-6, "t = " << t << ": " << error);
      }
      BOOST_TEST(!run.report.rank_events.empty());
    }
  }
}

BOOST_AUTO_TEST_CASE(p3_wrong_branches_are_reported_and_right_ones_are_not_with_either_solver) {
  const auto arm = find_mechanism("two_link").make(0);
  int wrong = 0, right = 0;
  for (const char* formulation : {"index2", "ggl", "baumgarte", "penalty"}) {
    for (const char* solver : {"dense", "klu", "block"}) {
      if (!linear_solver(solver).available) continue;
      for (const double end : {0.8, 1.0}) {  // IDA's first step goes with it, and with that the branch
        for (const double tolerance : {1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 3e-8, 1e-8}) {
          BOOST_TEST_CONTEXT(formulation << ", " << solver << ", " << end << " s, " << tolerance) {
            SimulationOptions options = options_of(arm, formulation, "automatic", tolerance);
            options.linear_solver.name = solver;
            options.t_end = end;
            options.max_steps = 20000;
            const Simulation run = simulate(arm.system, arm.start, options);
            if (run.report.t_reached < end) continue;  // stopped at the fold, and said so
            const bool smooth = distance(run, {end, arm.reference(end)->q[0], arm.reference(end)->q[1]}) < 0.05;
            const std::string expected = smooth ? "finished" : "uncertain_branch";
            BOOST_TEST(to_string(run.status.outcome) == expected, run.status.message);
            for (const Doubt& doubt : run.status.doubts)  // of the work of constraints that move through the fold
              BOOST_TEST((doubt.kind != DoubtKind::energy_balance), doubt.text);
            ++(smooth ? right : wrong);
          }
        }
      }
    }
  }
  BOOST_TEST_MESSAGE(right << " runs on the smooth branch, " << wrong << " on the other");
  BOOST_TEST(right > 20);
  BOOST_TEST(wrong > 2);
}

BOOST_AUTO_TEST_CASE(p4_reach_and_report_the_end_of_reach) {
  const auto arm = find_mechanism("two_link").make(0);
  for (const char* integrator : {"cvode_bdf", "dopri5"}) {
    BOOST_TEST_CONTEXT(integrator) {
      const Simulation run = simulate(arm.system, arm.start, as_given(arm, "baumgarte", integrator, 1e-10, 3.2));
      BOOST_TEST(to_string(run.status.outcome) == std::string("infeasible"));
      BOOST_TEST(std::abs(run.report.t_reached - 2.8503) <= 1e-3);
      BOOST_TEST((run.trajectory.position_at(2.8) - arm.reference(2.8)->q).lpNorm<Eigen::Infinity>() < 2e-5);
    }
  }
}

BOOST_AUTO_TEST_CASE(p5_a_run_past_the_end_of_reach_is_labelled_infeasible) {
  const auto arm = find_mechanism("two_link").make(0);
  for (const char* formulation : {"baumgarte", "penalty"}) {
    BOOST_TEST_CONTEXT(formulation) {
      SimulationOptions options = as_given(arm, formulation, "dopri5", 1e-8, 3.2);
      options.stop_when_infeasible = false;
      if (formulation == std::string("penalty")) options.gains.Lambda = Gain(10.0);
      const Simulation run = simulate(arm.system, arm.start, options);
      BOOST_TEST(to_string(run.status.outcome) == std::string("infeasible"));
      if (formulation == std::string("penalty")) BOOST_TEST(run.report.t_reached == 3.2);
    }
  }
}

BOOST_AUTO_TEST_CASE(p5_penalty_at_20_s_is_metres_away_from_the_constraints) {
  const auto arm = find_mechanism("two_link").make(0);
  SimulationOptions options = as_given(arm, "penalty", "dopri5", 1e-7, 20.0);
  options.gains.Lambda = Gain(10.0);
  options.stop_when_infeasible = false;
  const Simulation run = simulate(arm.system, arm.start, options);
  BOOST_TEST(to_string(run.status.outcome) == std::string("infeasible"));
  BOOST_REQUIRE(run.report.t_reached == 20.0);
  BOOST_TEST(std::abs(run.report.max_position_violation - 10.2) < 0.1);
}

BOOST_AUTO_TEST_CASE(a_looser_run_that_steps_over_the_fold_says_so) {
  const auto arm = find_mechanism("two_link").make(0);
  SimulationOptions options = as_given(arm, "baumgarte", "cvode_bdf", 1e-6, 0.8);
  options.linear_solver.rank_policy = RankPolicy::strict;
  options.max_step = options.t_end;
  const Simulation run = simulate(arm.system, arm.start, options);
  BOOST_REQUIRE(run.report.t_reached > fold + 1e-3);  // else the run did not step over it
  BOOST_REQUIRE(run.report.rank_events.size() == 1U);
  const RankEvent& event = run.report.rank_events[0];
  BOOST_TEST(event.stepped_over);
  BOOST_TEST(std::abs(event.t - fold) < 2e-3);
  BOOST_TEST(event.smallest < std::sqrt(1e-5));
  BOOST_TEST((event.constraint == "height of P" || event.constraint == "x of P"));
  BOOST_TEST(run.report.text(run.status).find("stepped over") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(corrected_and_printed_model_give_the_same_baumgarte_motion_before_the_fold) {
  const auto corrected = find_mechanism("two_link").make(0), printed = find_mechanism("two_link_as_printed").make(0);
  const Simulation a =
      simulate(corrected.system, corrected.start, as_given(corrected, "baumgarte", "dopri5", 1e-11, 0.45));
  const Simulation b = simulate(printed.system, printed.start, as_given(printed, "baumgarte", "dopri5", 1e-11, 0.45));
  BOOST_REQUIRE(a.status.finished());
  BOOST_REQUIRE(b.status.finished());
  for (double t = 0.0; t <= 0.45; t += 0.05) {
    BOOST_TEST((a.trajectory.position_at(t) - b.trajectory.position_at(t)).norm() < 1e-9);
  }
  // ... but not the same multipliers.
  const auto last = [](const Simulation& run) { return run.trajectory.lambda(run.trajectory.size() - 1); };
  BOOST_TEST((last(a) - last(b)).norm() > 1.0);
}

// Penalty form, (q1, q2 | max |g| | max |g'|) at t, to the digits of the independent computation.
namespace {

struct Row {
  double t, q1, q2, g, rate;
};

void check_penalty(const char* name, double p, double s, double Lambda, const std::vector<Row>& rows, double largest) {
  const auto arm = find_mechanism(name).make(0);
  const auto until = [&](double t_end) {
    SimulationOptions options = as_given(arm, "penalty", "dopri5", 1e-10, t_end);
    options.gains = penalty_gains(p, s, Lambda);
    const Simulation run = simulate(arm.system, arm.start, options);
    BOOST_REQUIRE_MESSAGE(run.report.t_reached == t_end, run.status.message);
    return run;
  };
  const auto w = make_workspace(*arm.system, internal::Storage::dense);
  for (const Row& row : rows) {
    BOOST_TEST_CONTEXT(name << ", t = " << row.t) {
      const Simulation run = until(row.t);
      const Eigen::VectorXd q = run.trajectory.q(run.trajectory.size() - 1);
      const Eigen::VectorXd v = run.trajectory.v(run.trajectory.size() - 1);
      BOOST_TEST(std::abs(q[0] - row.q1) < 1.5e-6);
      BOOST_TEST(std::abs(q[1] - row.q2) < 1.5e-6);
      BOOST_REQUIRE(evaluate_system(*arm.system, internal::request::constraint,
                                    {row.t, q.data(), v.data(), nullptr, nullptr}, *w));
      const double g = std::max(std::abs(w->g[0]), std::abs(w->g[1]));
      const double rate = std::max(std::abs(w->g_rate[0]), std::abs(w->g_rate[1]));
      BOOST_TEST(std::abs(g / row.g - 1.0) < 0.05);  // two digits are printed
      BOOST_TEST(std::abs(rate / row.rate - 1.0) < 0.05);
    }
  }
  BOOST_TEST(std::abs(until(2.8).report.max_position_violation / largest - 1.0) < 0.006);
}

}  // namespace

BOOST_AUTO_TEST_CASE(penalty_case_1) {
  check_penalty("two_link_as_printed", 100.0, 25.0, 10.0,
                {{0.1, 1.404768, 3.459227, 8.0e-3, 1.3e-1},
                 {0.4, 1.060715, 2.821649, 6.3e-2, 5.3e-1},
                 {0.6, 1.111857, 2.786260, 1.4e-1, 2.3e-1},
                 {1.0, 1.523495, 2.772966, 1.5e-1, 1.1e-1},
                 {2.0, 2.081770, 1.858347, 6.6e-2, 2.1e-2}},
                0.163);
  check_penalty("two_link", 100.0, 25.0, 10.0,
                {{0.1, 1.425764, 3.470870, 2.0e-3, 3.1e-2},
                 {0.4, 1.446888, 3.131193, 3.2e-3, 8.2e-2},
                 {0.6, 1.453753, 2.915023, 2.2e-2, 9.0e-2},
                 {1.0, 1.755659, 2.739472, 1.2e-2, 7.5e-2},
                 {2.0, 2.159248, 1.736833, 1.5e-2, 1.9e-2}},
                0.0377);
}

BOOST_AUTO_TEST_CASE(penalty_case_2) {
  check_penalty("two_link_as_printed", 100.0, 250.0, 3.0,
                {{0.1, 1.378832, 3.447318, 1.5e-2, 2.5e-1},
                 {0.4, 0.894489, 2.630442, 1.1e-1, 5.6e-1},
                 {0.6, 1.193098, 2.650734, 1.1e-1, 6.3e-1},
                 {1.0, 1.569585, 2.581050, 7.7e-2, 1.2e-1},
                 {2.0, 2.097786, 1.751111, 3.9e-2, 4.0e-2}},
                0.120);
  check_penalty("two_link", 100.0, 250.0, 3.0,
                {{0.1, 1.419902, 3.463834, 4.0e-3, 6.3e-2},
                 {0.4, 1.355242, 3.040968, 2.5e-3, 2.3e-1},
                 {0.6, 1.312520, 2.788555, 5.7e-2, 1.8e-1},
                 {1.0, 1.765287, 2.702313, 1.0e-2, 3.1e-1},
                 {2.0, 2.172600, 1.777729, 3.7e-2, 7.4e-3}},
                0.0660);
}

BOOST_AUTO_TEST_CASE(penalty_case_3) {
  check_penalty("two_link_as_printed", 10.0, 2500.0, 50.0,
                {{0.1, 1.425114, 3.470080, 2.3e-3, 3.7e-2},
                 {0.4, 1.291967, 2.969988, 1.1e-2, 3.2e-1},
                 {0.6, 1.415195, 2.843650, 3.8e-2, 4.5e-2},
                 {1.0, 1.655813, 2.603251, 4.7e-2, 8.1e-3},
                 {2.0, 2.112458, 1.710485, 4.2e-2, 1.2e-2}},
                0.0477);
  check_penalty("two_link", 10.0, 2500.0, 50.0,
                {{0.1, 1.430302, 3.475142, 5.6e-4, 8.6e-3},
                 {0.4, 1.500619, 3.183428, 2.3e-3, 1.7e-2},
                 {0.6, 1.535496, 2.976891, 9.3e-3, 3.1e-2},
                 {1.0, 1.735714, 2.693113, 6.4e-3, 1.4e-2},
                 {2.0, 2.143823, 1.759229, 4.7e-3, 8.3e-3}},
                0.0104);
}

BOOST_AUTO_TEST_CASE(soft_penalties_pass_the_fold_as_solutions_of_their_own_equations) {
  // The gains of the three cases of the paper and some penalties between: the altered equations are regular at the
  // fold, and the run is the solution that they have.
  struct {
    double p, s, Lambda;
  } const lines[] = {{100.0, 25.0, 10.0}, {100.0, 25.0, 100.0}, {100.0, 250.0, 3.0}, {10.0, 2500.0, 50.0}};
  const auto arm = find_mechanism("two_link").make(0);
  for (const auto& line : lines) {
    for (const double t_end : {1.0, 2.8}) {
      if (t_end > 1.0 && line.Lambda != 10.0) continue;  // case 1 is judged close to the end of reach, too
      for (const double tolerance : {1e-6, 1e-10}) {
        SimulationOptions options = as_given(arm, "penalty", "dopri5", tolerance, t_end);
        options.gains = penalty_gains(line.p, line.s, line.Lambda);
        const Simulation run = simulate(arm.system, arm.start, options);
        BOOST_TEST_CONTEXT("Lambda " << line.Lambda << ", tolerance " << tolerance << ", to " << t_end << " s") {
          BOOST_TEST((run.status.outcome == Outcome::finished), run.status.message);
          BOOST_REQUIRE(run.report.rank_events.size() == 1U);
          BOOST_TEST((run.report.rank_events[0].passage == Passage::smooth));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(dense_output_follows_the_penalty_motion) {
  // v' of the penalty form differs from the constrained acceleration; interpolation must use the former.
  const auto arm = find_mechanism("two_link").make(0);
  SimulationOptions options = as_given(arm, "penalty", "dopri5", 1e-10, 2.0);
  options.gains = penalty_gains(100.0, 25.0, 10.0);
  const Simulation whole = simulate(arm.system, arm.start, options);
  for (const double t : {0.1, 0.4, 0.77, 1.3}) {
    options.t_end = t;
    const Simulation part = simulate(arm.system, arm.start, options);
    const std::size_t last = part.trajectory.size() - 1;
    BOOST_TEST((whole.trajectory.position_at(t) - part.trajectory.q(last)).norm() < 1e-8);
    BOOST_TEST((whole.trajectory.velocity_at(t) - part.trajectory.v(last)).norm() < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(p6_large_penalties_are_accurate_and_stable) {
  struct Line {
    double Lambda, before_fold, overall, error;
  };
  const Line lines[] = {{10.0, 6.5e-3, 3.8e-2, 1.5e-1}, {1e2, 9.0e-4, 3.9e-3, 2.9e-2},  {1e3, 9.7e-5, 5.1e-4, 5.5e-3},
                        {1e4, 1.25e-5, 1.2e-4, 1.3e-3}, {1e5, 1.25e-5, 3.2e-5, 3.6e-4}, {1e6, 1.25e-5, 1.25e-5, 1.1e-4},
                        {1e8, 1.25e-5, 1.25e-5, 5.7e-5}};
  const auto arm = find_mechanism("two_link").make(0);
  const auto w = make_workspace(*arm.system, internal::Storage::dense);
  long least = 0;
  for (const Line& line : lines) {
    BOOST_TEST_CONTEXT("Lambda = " << line.Lambda) {
      SimulationOptions options = as_given(arm, "penalty", "dopri5", 1e-8, 2.8);
      options.gains = penalty_gains(100.0, 25.0, line.Lambda);
      const Simulation run = simulate(arm.system, arm.start, options);
      // soft penalties swing through the fold (kink 0.07 at 1e4), and what a moving constraint does is not known:
      // whether that was smooth may remain open, the run must not fail
      BOOST_REQUIRE(run.status.finished() || (run.status.outcome == Outcome::uncertain_branch && line.Lambda <= 1e4));
      double before = 0.0, overall = 0.0;
      for (int k = 0; k <= 2800; ++k) {
        const double t = std::min(2.8, k * 1e-3);
        const Eigen::VectorXd q = run.trajectory.position_at(t), v = run.trajectory.velocity_at(t);
        BOOST_REQUIRE(
            evaluate_system(*arm.system, internal::request::constraint, {t, q.data(), v.data(), nullptr, nullptr}, *w));
        const double g = std::max(std::abs(w->g[0]), std::abs(w->g[1]));
        if (t <= 0.4) before = std::max(before, g);
        overall = std::max(overall, g);
      }
      // two digits are given
      BOOST_TEST(std::abs(before / line.before_fold - 1.0) < 0.05);
      BOOST_TEST(std::abs(overall / line.overall - 1.0) < 0.05);
      const double error = (run.trajectory.position_at(0.6) - arm.reference(0.6)->q).lpNorm<Eigen::Infinity>();
      BOOST_TEST(std::abs(error / line.error - 1.0) < 0.06);
      if (line.Lambda == 10.0) least = run.report.rhs_evaluations;
      BOOST_TEST(run.report.rhs_evaluations < 2 * least);
    }
  }
}

BOOST_AUTO_TEST_CASE(p14_index3_starts_and_crosses_the_fold_at_tight_tolerances) {
  const auto arm = find_mechanism("two_link").make(0);
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    BOOST_TEST_CONTEXT("rtol " << tolerance) {
      SimulationOptions options = options_of(arm, "index3", "ida", tolerance);
      options.t_end = 2.0;
      const Simulation run = simulate(arm.system, arm.start, options);
      BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
      BOOST_TEST(test::end_error(arm, run) < 1e3 * tolerance);
      BOOST_TEST(run.report.steps < 20000);
    }
  }
}

BOOST_AUTO_TEST_CASE(projected_goes_through_the_fold_at_tight_tolerances) {
  const auto arm = find_mechanism("two_link").make(0);
  for (const double tolerance : {1e-9, 1e-10, 1e-11, 1e-12}) {
    for (const double t_end : {0.6, 2.0}) {
      for (const char* solver : {"dense", "klu", "block"}) {
        if (!linear_solver(solver).available) continue;
        SimulationOptions options = options_of(arm, "projected", "dopri5", tolerance);
        options.linear_solver.name = solver;
        options.t_end = t_end;
        const Simulation run = simulate(arm.system, arm.start, options);
        BOOST_TEST_CONTEXT(tolerance << ", to " << t_end << " s, " << solver) {
          BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
          BOOST_TEST(test::end_error(arm, run) < 1e-10);
          BOOST_TEST(run.report.max_position_violation < 1e-10);
        }
      }
    }
  }
}
