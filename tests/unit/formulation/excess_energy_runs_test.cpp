// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "matrix_exponential.hpp"
#include "model/evaluation.hpp"
#include "models.hpp"
#include "runs.hpp"

/// Runs with excess variables [003]: what they warn of, rows that are switched off, energies that turn indefinite.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;
using test::doubted;
using test::exponential;

namespace {

ExcessEnergy constant_energy(double k, double c) {
  ExcessEnergy e;
  e.stiffness = [k](double, const VectorXd&, MatrixXd& out) { out(0, 0) = k; };
  e.dissipation = [c](double, const VectorXd&, const VectorXd&, MatrixXd& out) { out(0, 0) = c; };
  return e;
}

bool warns(const Simulation& run, const std::string& part) {
  return run.report.text(run.status).find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(unstable_steps_warn_for_gains_and_for_excess_energy_alike) {
  // Critical damping at 500 rad/s, rk4, 0.01 s: 5 where rk4 allows 2.785.
  SimulationOptions constant, excess;
  constant.gains.K_D = 1000.0;
  constant.gains.K_P = 2.5e5;
  excess.formulation = "extended_lagrangian";
  excess.excess = constant_energy(2.5e5, 1000.0);
  for (SimulationOptions* o : {&constant, &excess}) {
    o->integrator = "rk4";
    o->step = 0.01;
    for (const double t_end : {0.02, 5.0}) {  // too short to diverge, and long enough
      o->t_end = t_end;
      const Simulation run = simulate(make_system(test::Pendulum{}), {0.0, Vector2d(1.0, 0.0), {}}, *o);
      BOOST_TEST(!run.status.has_no_doubts(), o->formulation << ", " << t_end);
      BOOST_TEST(warns(run, "unstable: at step 0.01"), o->formulation << ": " << run.report.text(run.status));
      BOOST_TEST(run.report.used.advice->stability_margin == 2.785293563 / 5.0, boost::test_tools::tolerance(1e-3));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_law_that_feeds_the_error_warns_and_leaves_doubts) {
  SimulationOptions options;
  options.formulation = "extended_lagrangian";
  options.excess.mass = [](double t, const VectorXd&, MatrixXd& m) { m(0, 0) = std::exp(-2.0 * t); };  // m' = -2 m
  options.excess.dissipation = [](double t, const VectorXd&, const VectorXd&, MatrixXd& c) {
    c(0, 0) = 0.5 * std::exp(-2.0 * t);
  };
  options.excess.stiffness = [](double t, const VectorXd&, MatrixXd& k) { k(0, 0) = 0.1 * std::exp(-2.0 * t); };
  options.integrator = "dopri5";
  options.start = Start::as_given;
  options.t_end = 2.0;  // g'' = 1.5 g' - 0.1 g: grows with 1.43 1/s
  const Simulation run =
      simulate(make_system(test::Pendulum{}), {0.0, Vector2d(1.3, 0.0), Vector2d(0.3, 0.0)}, options);
  BOOST_TEST(run.report.max_position_violation > 1.0);
  BOOST_TEST(warns(run, "unstable law: at the start the excess variables grow with 1.43"), run.report.text(run.status));
  BOOST_TEST(doubted(run, DoubtKind::unstable_gains));
  BOOST_TEST(doubted(run, DoubtKind::position_violation));  // more than half of the start's is left
}

BOOST_AUTO_TEST_CASE(a_law_that_feeds_the_error_later_on_leaves_doubts) {
  // (m g')' = 0: g' grows as 1/m, by e^8 between t = 1 and 2, where the start shows nothing.
  const auto shrunk = [](double t) {
    const double s = std::clamp(t - 1.0, 0.0, 1.0);
    return 8.0 * s * s * (3.0 - 2.0 * s);
  };
  SimulationOptions options;
  options.formulation = "extended_lagrangian";
  options.excess = constant_energy(0.0, 0.0);
  options.excess.mass = [shrunk](double t, const VectorXd&, MatrixXd& m) { m(0, 0) = std::exp(-shrunk(t)); };
  for (const char* integrator : {"dopri5", "cvode_bdf"}) {
    options.integrator = integrator;
    options.t_end = 3.0;
    const Simulation run = simulate(make_system(test::Pendulum{}), {0.0, Vector2d(1.0, 0.0), {}}, options);
    BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
    BOOST_TEST(run.report.used.advice->growth == 0.0);
    BOOST_TEST(run.report.error_growth == 8.0, boost::test_tools::tolerance(0.05));
    BOOST_TEST(std::abs(run.report.t_error_growth - 2.0) < 0.15);
    BOOST_TEST(doubted(run, DoubtKind::unstable_gains), integrator);
    options.t_end = 0.9;
    const Simulation early = simulate(make_system(test::Pendulum{}), {0.0, Vector2d(1.0, 0.0), {}}, options);
    BOOST_TEST(early.report.error_growth < 1e-6);
    BOOST_TEST(!doubted(early, DoubtKind::unstable_gains), integrator);
  }
}

BOOST_AUTO_TEST_CASE(an_error_that_grew_on_the_way_and_went_is_doubted) {
  // From t = 0.2 on m falls by e^4.4 while c = 0: the amplitude of g grows by about e^2.2; then c takes it away. Beside
  // the violation of the start, and at the end, the positions show nothing of it.
  const auto m_of = [](double t) { return std::exp(-4.0 * std::clamp(t - 0.2, 0.0, 1.1)); };
  SimulationOptions options;
  options.formulation = "extended_lagrangian";
  options.excess.mass = [m_of](double t, const VectorXd&, MatrixXd& m) { m(0, 0) = m_of(t); };
  options.excess.stiffness = [m_of](double t, const VectorXd&, MatrixXd& k) { k(0, 0) = 100.0 * m_of(t); };
  options.excess.dissipation = [m_of](double t, const VectorXd&, const VectorXd&, MatrixXd& c) {
    c(0, 0) = t < 1.3 ? 0.0 : 10.0 * m_of(t);
  };
  options.integrator = "dopri5";
  options.start = Start::as_given;
  options.t_end = 5.0;
  const Simulation run = simulate(make_system(test::Pendulum{}), {0.0, Vector2d(1.02, 0.0), {}}, options);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  const double g_start = 0.5 * (1.02 * 1.02 - 1.0);
  BOOST_TEST(run.report.max_position_violation > 5.0 * g_start);
  BOOST_TEST(run.report.violation_at_end < 1e-3 * run.report.violation_at_start);
  BOOST_TEST(!doubted(run, DoubtKind::position_violation));
  BOOST_TEST(run.report.used.advice->growth == 0.0);
  BOOST_TEST(run.report.error_growth == 2.2, boost::test_tools::tolerance(0.05));
  BOOST_TEST(doubted(run, DoubtKind::unstable_gains));
}

BOOST_AUTO_TEST_CASE(an_excess_mass_that_comes_and_goes_feeds_nothing_for_long) {
  // m'/m = 2 cos 5t: the amplitude follows m^-1/2 (WKB), within e^0.4, whatever the length of the run.
  SimulationOptions options;
  options.formulation = "extended_lagrangian";
  options.excess.mass = [](double t, const VectorXd&, MatrixXd& m) { m(0, 0) = std::exp(0.4 * std::sin(5.0 * t)); };
  options.excess.stiffness = [](double t, const VectorXd&, MatrixXd& k) {
    k(0, 0) = 400.0 * std::exp(0.4 * std::sin(5.0 * t));
  };
  options.excess.dissipation = [](double, const VectorXd&, const VectorXd&, MatrixXd&) {};
  options.integrator = "dopri5";
  options.start = Start::as_given;
  options.t_end = 10.0;
  const Simulation run = simulate(make_system(test::Pendulum{}), {0.0, Vector2d(1.02, 0.0), {}}, options);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  BOOST_TEST(run.report.error_growth == 0.4, boost::test_tools::tolerance(0.1));
  BOOST_TEST(!doubted(run, DoubtKind::unstable_gains));
  const double g_start = 0.5 * (1.02 * 1.02 - 1.0);
  BOOST_TEST(run.report.max_position_violation < 1.5 * g_start);
}

BOOST_AUTO_TEST_CASE(fixed_steps_that_leave_the_stability_region_on_the_way_leave_doubts) {
  // Critical damping at w(t) from 10 to 500 rad/s: h w = 5 at the end, where rk4 allows 2.785. It multiplies by
  // R(-5) = 13.7 in each of the last steps.
  const auto rate = [](double t) { return t < 0.5 ? 10.0 : 500.0; };
  SimulationOptions options;
  options.formulation = "extended_lagrangian";
  options.excess.stiffness = [rate](double t, const VectorXd&, MatrixXd& k) { k(0, 0) = rate(t) * rate(t); };
  options.excess.dissipation = [rate](double t, const VectorXd&, const VectorXd&, MatrixXd& c) {
    c(0, 0) = 2.0 * rate(t);
  };
  options.integrator = "rk4";
  options.step = 0.01;
  for (const double t_end : {0.45, 0.535}) {
    options.t_end = t_end;
    const Simulation run = simulate(make_system(test::Pendulum{}), {0.0, Vector2d(1.0, 0.0), {}}, options);
    BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
    BOOST_TEST(run.report.used.advice->stability_margin > 1.0);
    BOOST_TEST(doubted(run, DoubtKind::unstable_gains) == (t_end > 0.5), run.report.text(run.status));
  }
}

BOOST_AUTO_TEST_CASE(functions_see_all_rows_and_the_law_is_that_of_the_active_ones) {
  // Three rows; "second" is switched off from the start, or breaks at t = 0.2. The others obey the active blocks of m,
  // k, c: (g, g') is the matrix exponential of those.
  const MatrixXd m = (MatrixXd(3, 3) << 2.0, 0.3, 0.4, 0.3, 1.5, 0.2, 0.4, 0.2, 1.0).finished();
  const MatrixXd k = (MatrixXd(3, 3) << 9.0, 1.0, -2.0, 1.0, 7.0, 0.5, -2.0, 0.5, 8.0).finished();
  const MatrixXd c = (MatrixXd(3, 3) << 1.0, 0.5, 0.2, 0.5, 3.0, 0.1, 0.2, 0.1, 0.7).finished();
  Assembly two;
  const Block a = two.add_coordinates("a", 2), b = two.add_coordinates("b", 2);
  two.add("first", test::Pendulum{}, {a});
  two.add("second", test::Pendulum{}, {b});
  two.add("link", test::Link{}, {a, b});
  const auto system = two.build();
  const auto rest = without_constraints(system, {"second"});
  int wrong_sizes = 0;
  const auto give = [&wrong_sizes](const MatrixXd& all) {
    return [&wrong_sizes, all](MatrixXd& out) {
      if (out.rows() != all.rows() || out.cols() != all.cols())
        ++wrong_sizes;
      else
        out = all;
    };
  };
  SimulationOptions options;
  options.formulation = "extended_lagrangian";
  options.excess.mass = [fill = give(m)](double, const VectorXd&, MatrixXd& out) { fill(out); };
  options.excess.stiffness = [fill = give(k)](double, const VectorXd&, MatrixXd& out) { fill(out); };
  const auto of_motion = [](const MatrixXd& all, auto& give_matrix) {
    return [fill = give_matrix(all)](double, const VectorXd&, const VectorXd&, MatrixXd& out) { fill(out); };
  };
  options.excess.dissipation = of_motion(c, give);
  options.excess.mass_rate = of_motion(MatrixXd::Zero(3, 3), give);
  options.integrator = "dopri5";
  options.start = Start::as_given;
  options.t_end = 0.6;
  options.rtol = options.atol = 1e-11;
  const InitialState start{0.0, (VectorXd(4) << 0.62, -0.8, -0.3, 0.9).finished(), VectorXd::Constant(4, 0.2)};
  const auto error = [](const MechanicalSystem& of, double t, const VectorXd& q, const VectorXd& v) {
    const auto w = make_workspace(of, Storage::dense);
    BOOST_REQUIRE(evaluate_system(of, request::constraint, {t, q.data(), v.data(), nullptr, nullptr}, *w));
    return (VectorXd(2 * w->g.size()) << w->g, w->g_rate).finished();
  };
  const std::vector<int> kept{0, 2};
  MatrixXd A = MatrixXd::Zero(4, 4);
  A.topRightCorner(2, 2).setIdentity();
  A.bottomRows(2) << -m(kept, kept).inverse() * k(kept, kept), -m(kept, kept).inverse() * c(kept, kept);
  for (const double at : {0.0, 0.2}) {
    SimulationOptions o = options;
    if (at == 0.0) o.inactive_constraints = {"second"};
    if (at > 0.0) {
      o.events = {{"break", [at](const EventPoint& p) { return p.t() - at; }, Crossing::rising,
                   [](EventContext& context) { context.deactivate("second"); }}};
    }
    const Simulation run = simulate(system, start, o);
    BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
    const VectorXd begin = error(*rest, at, run.trajectory.position_at(at), run.trajectory.velocity_at(at));
    const std::size_t last = run.trajectory.size() - 1;
    const VectorXd end = error(*rest, 0.6, run.trajectory.q(last), run.trajectory.v(last));
    BOOST_TEST(begin.norm() > 0.1);
    BOOST_TEST((end - exponential(A * (0.6 - at)) * begin).norm() < 1e-9, "switched off at t = " << at);
  }
  BOOST_TEST(wrong_sizes == 0);

  // k that couples rows of g and psi: columns of the g rows that are left, all rows that are left
  ExcessEnergy coupled;
  coupled.coupled_stiffness = true;
  coupled.stiffness = [](double, const VectorXd&, MatrixXd& out) {
    BOOST_TEST((out.rows() == 3 && out.cols() == 2));
    out << 11.0, 12.0, 21.0, 22.0, 31.0, 32.0;
  };
  MatrixXd left(2, 1);
  coupled.restricted(2, 1, {1, 2}).stiffness(0.0, start.q, left);
  BOOST_TEST((left(0, 0) == 22.0 && left(1, 0) == 32.0));
}

BOOST_AUTO_TEST_CASE(lost_definiteness_in_a_run_is_declined_counted_and_named) {
  const auto system = make_system(test::Pendulum{});
  ExcessEnergy soft, heavy, driven;
  soft.stiffness = [](double t, const VectorXd&, MatrixXd& k) { k(0, 0) = 0.5 - t; };
  heavy.mass = [](double t, const VectorXd&, MatrixXd& m) { m(0, 0) = t < 0.5 ? 1.0 : -1.0; };
  heavy.mass_rate = [](double, const VectorXd&, const VectorXd&, MatrixXd&) {};
  driven.dissipation = [](double t, const VectorXd&, const VectorXd&, MatrixXd& c) { c(0, 0) = 0.5 - t; };
  const std::pair<ExcessEnergy, std::size_t> cases[] = {{heavy, 0}, {soft, 1}, {driven, 2}};  // as m, k, c are counted
  for (const auto& [excess, place] : cases) {
    for (const char* integrator : {"dopri5", "cvode_bdf"}) {
      BOOST_TEST_CONTEXT(place << ", " << integrator) {
        SimulationOptions options;
        options.formulation = "extended_lagrangian";
        options.excess = excess;
        options.integrator = integrator;
        options.t_end = 2.0;
        const Simulation run = simulate(system, {0.0, Vector2d(1.0, 0.0), {}}, options);
        BOOST_TEST(to_string(run.status.outcome) == std::string("model_error"));
        BOOST_TEST(run.status.message.find("excess mass") != std::string::npos, run.status.message);
        BOOST_TEST(run.report.t_reached < 0.5 + 1e-6);
        BOOST_TEST(run.report.t_reached > 0.45);
        BOOST_TEST(number(run.report.used.statistics, "points declined, not positive definite", place) > 0.0);
      }
    }
  }
}
