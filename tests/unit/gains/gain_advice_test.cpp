// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <sunlagrange/elements/planar/distance.hpp>
#include <sunlagrange/elements/planar/point_mass.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>

#include "gains/motion_rate.hpp"
#include "mechanisms/other_units.hpp"

using namespace sunlagrange;
using namespace sunlagrange::internal;

namespace {

/// A pendulum of length 1 m whose pivot is at (x, 0), released at rest `angle` from the vertical.
struct Pendulum {
  std::shared_ptr<const MechanicalSystem> system;
  InitialState start;

  explicit Pendulum(double angle, double x = 0.0) {
    Assembly assembly;
    const Block bob = assembly.add_coordinates("bob", 2);
    assembly.add("mass", PointMass{1.0}, {bob});
    assembly.add("weight", UniformGravity{1.0, 0.0, -9.81}, {bob});
    assembly.add("rod", DistanceToGround{x, 0.0, 1.0}, {bob});
    system = assembly.build();
    start.q = Eigen::Vector2d(x + std::sin(angle), -std::cos(angle));
  }

  MotionState state() const { return consistent_state(system, start).state; }
};

/// A mass pulled along a straight rail.
struct Line {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  void mass_matrix(double, View<const double>, MatrixView<double> M) const { M(0, 0) = M(1, 1) = 1.0; }
  void applied_force(double, View<const double>, View<const double>, View<double> f) const { f[0] = 1.0; }
  void constraint(double, View<const double> q, View<double> g) const { g[0] = q[1]; }
};

GainQuestion with_step(const ButcherTable& table, double step) {
  GainQuestion question;
  question.integrator.kind = IntegratorKind::fixed_step;
  question.integrator.step = step;
  question.integrator.table = std::make_shared<ButcherTable>(table);
  return question;
}

GainQuestion adaptive(IntegratorKind kind, double tolerance) {
  GainQuestion question;
  question.integrator.kind = kind;
  question.rtol = question.atol = tolerance;
  return question;
}

bool warns(const GainAdvice& advice, const std::string& word) {
  for (const GainWarning& warning : advice.warnings) {
    if (warning.text.find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_CASE(p27_the_rate_of_the_motion_does_not_depend_on_units) {
  for (const mechanisms::MechanismEntry& entry : mechanisms::mechanism_registry()) {
    const mechanisms::Mechanism m = entry.make(entry.sized() ? 4 : 0);
    if (m.system->first_order()) continue;  // a program in other units would need another field
    const double rate = motion_rate(m.system, consistent_state(m.system, m.start).state, m.t_end, {});
    double in_first = 0.0;
    for (const mechanisms::Units& units : mechanisms::three_unit_systems()) {
      const mechanisms::Mechanism other = mechanisms::in_units(m, units).mechanism;
      const double same = motion_rate(other.system, consistent_state(other.system, other.start).state, m.t_end, {});
      if (in_first == 0.0) in_first = same;
      BOOST_TEST(std::abs(same - in_first) < 1e-6 * rate,
                 entry.name << " in " << units.name << ": " << same << ", " << in_first);
      // in_units() does not know the kinds of blocks, so redundant multipliers are those of another norm (decision 42)
      BOOST_TEST(std::abs(same - rate) < 1e-5 * rate,
                 entry.name << " in " << units.name << ": " << same << ", " << rate);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_rate_does_not_depend_on_the_origin_and_sees_a_slow_start) {
  // The frequency of small oscillations, and the rate of escape from the upper equilibrium, is sqrt(g/L); released at
  // the horizontal, the rod turns with sqrt(g/L) as well.
  const double expected = std::sqrt(9.81);
  for (const double angle : {1e-4, 1e-2, std::acos(-1.0) / 2.0, std::acos(-1.0) - 1e-3}) {
    for (const double x : {0.0, 1000.0}) {
      const Pendulum pendulum(angle, x);
      const double rate = motion_rate(pendulum.system, pendulum.state(), 1.0, {});
      BOOST_TEST(std::abs(rate - expected) < 1e-3 * expected, "angle " << angle << ", pivot at " << x << ": " << rate);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_given_time_scale_replaces_the_start) {
  const Pendulum pendulum(1.0);
  GainQuestion question;
  question.time_scale = 0.05;
  BOOST_TEST(advise_gains(pendulum.system, pendulum.state(), question).motion_rate == 20.0);
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.time_scale = 0.05;
  options.integrator = "dopri5";
  BOOST_TEST(simulate(pendulum.system, pendulum.start, options).report.used.advice->motion_rate == 20.0);
}

BOOST_AUTO_TEST_CASE(simulate_uses_what_the_advisor_says) {
  const Pendulum pendulum(1.0);
  const std::pair<const char*, IntegratorKind> methods[] = {{"cvode_bdf", IntegratorKind::bdf},
                                                            {"cvode_adams", IntegratorKind::adams},
                                                            {"dopri5", IntegratorKind::explicit_adaptive}};
  for (const auto& [name, kind] : methods) {
    SimulationOptions options;
    options.formulation = "baumgarte";
    options.integrator = name;
    options.rtol = options.atol = 1e-7;
    const GainAdvice advice = advise_gains(pendulum.system, pendulum.state(), adaptive(kind, 1e-7));
    const Simulation run = simulate(pendulum.system, pendulum.start, options);
    BOOST_TEST(run.report.used.K_D->asked.automatic());
    BOOST_TEST(run.report.used.K_D->used(0, 0) == 2.0 * advice.omega);
  }
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.integrator = "rk4";
  options.step = 0.4;  // the limit counts here, not the motion
  const GainAdvice advice = advise_gains(pendulum.system, pendulum.state(), with_step(rk4(), 0.4));
  BOOST_TEST(advice.stability_margin >= 2.0 * (1.0 - 1e-6));
  const Simulation run = simulate(pendulum.system, pendulum.start, options);
  BOOST_TEST(run.report.used.K_P->used(0, 0) == advice.omega * advice.omega);
  BOOST_TEST(run.report.used.advice->stability_margin == advice.stability_margin);
}

BOOST_AUTO_TEST_CASE(p08_the_margin_is_the_true_stability_limit_of_the_method) {
  // Straight constraints: the law of the error is exactly the frozen one, whatever moves. A violated start must shrink
  // just inside the limit and grow just outside.
  const auto system = make_system(Line());
  InitialState start;
  start.q = Eigen::Vector2d(1.0, 1e-3);
  MotionState state;
  state.q = start.q;
  state.v = state.a = Eigen::Vector2d::Zero();
  state.lambda = Eigen::VectorXd::Zero(1);
  for (const ButcherTable* table : {&rk1(), &rk2(), &rk3(), &rk4()}) {
    for (const double zeta : {0.6, 1.0, 1.5}) {
      GainQuestion question = with_step(*table, 1e-2);
      question.gains = Gains::natural_frequency(50.0, zeta);
      const double margin = advise_gains(system, state, question).stability_margin;
      const auto end = [&](double factor) {
        SimulationOptions options;
        options.integrator = table->name;
        options.step = 1e-2 * margin * factor;
        options.t_end = 3000.0 * options.step;
        options.gains = question.gains;
        options.start = Start::as_given;
        return simulate(system, start, options);
      };
      const Simulation inside = end(0.99);
      const std::size_t last = inside.trajectory.size() - 1;
      BOOST_TEST(inside.status.finished());
      BOOST_TEST(std::abs(inside.trajectory.q(last)[1]) < 1e-3, table->name << ", zeta " << zeta);
      const Simulation outside = end(1.01);
      BOOST_TEST(outside.report.max_position_violation > 1.0,
                 table->name << ", zeta " << zeta << ", margin " << margin);
    }
  }
}

BOOST_AUTO_TEST_CASE(p19_gains_in_the_expensive_region_are_named) {
  // Dormand-Prince at 1e-6: 20/s needs three times the steps of 1/s on the pendulum of 1 m; BDF with 1000/s spoils.
  const Pendulum pendulum(1.57);
  const MotionState state = pendulum.state();
  const auto judged = [&](IntegratorKind kind, double omega) {
    GainQuestion question = adaptive(kind, 1e-6);
    question.gains = Gains::natural_frequency(omega, 1.0);
    return advise_gains(pendulum.system, state, question);
  };
  BOOST_TEST(warns(judged(IntegratorKind::explicit_adaptive, 20.0), "expensive"));
  BOOST_TEST(!warns(judged(IntegratorKind::explicit_adaptive, 1.0), "expensive"));
  BOOST_TEST(warns(judged(IntegratorKind::bdf, 1000.0), "errors above the tolerance"));
  BOOST_TEST(!warns(judged(IntegratorKind::bdf, 5.0), "expensive"));
  for (const IntegratorKind kind : {IntegratorKind::explicit_adaptive, IntegratorKind::adams, IntegratorKind::bdf}) {
    BOOST_TEST(advise_gains(pendulum.system, state, adaptive(kind, 1e-6)).warnings.empty());
  }
}

BOOST_AUTO_TEST_CASE(the_expected_cost_is_that_of_runs_within_a_factor_two) {
  const Pendulum pendulum(1.57);
  const auto evaluations = [&](const char* formulation, double omega) {
    SimulationOptions options;
    options.formulation = formulation;
    options.integrator = "dopri5";
    options.rtol = options.atol = 1e-7;
    options.t_end = 10.0;
    if (omega > 0.0) options.gains = Gains::natural_frequency(omega, 1.0);
    return static_cast<double>(simulate(pendulum.system, pendulum.start, options).report.rhs_evaluations);
  };
  const double none = evaluations("unstabilized", 0.0);
  for (const double omega : {10.0, 20.0, 50.0, 100.0}) {
    GainQuestion question = adaptive(IntegratorKind::explicit_adaptive, 1e-7);
    question.gains = Gains::natural_frequency(omega, 1.0);
    const double expected = 1.0 + advise_gains(pendulum.system, pendulum.state(), question).added_cost;
    const double measured = evaluations("baumgarte", omega) / none;
    BOOST_TEST(expected < 2.0 * measured, omega << ": " << expected << ", " << measured);
    BOOST_TEST(measured < 2.0 * expected, omega << ": " << expected << ", " << measured);
  }
}

BOOST_AUTO_TEST_CASE(an_unstable_fixed_step_is_announced) {
  const Pendulum pendulum(1.0);
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.integrator = "rk4";
  options.step = 0.01;
  options.gains = Gains::natural_frequency(300.0, 1.0);
  const Simulation run = simulate(pendulum.system, pendulum.start, options);
  BOOST_TEST(run.report.used.advice->warnings.at(0).text.find("unstable") == 0u);
  BOOST_TEST(run.report.text(run.status).find("unstable: at step 0.01 s") != std::string::npos);
  options.gains = {};
  BOOST_TEST(simulate(pendulum.system, pendulum.start, options).report.used.advice->warnings.empty());

  GainQuestion near_limit = with_step(rk4(), 0.01);
  near_limit.gains = Gains::natural_frequency(250.0, 1.0);
  BOOST_TEST(warns(advise_gains(pendulum.system, pendulum.state(), near_limit), "near the stability limit"));
}

BOOST_AUTO_TEST_CASE(gains_that_do_nothing_are_named) {
  const Pendulum pendulum(1.0);
  GainQuestion question;
  question.gains.K_D = Gain(0.0);
  question.gains.K_P = Gain(4.0);
  BOOST_TEST(warns(advise_gains(pendulum.system, pendulum.state(), question), "hardly acts"));
}

BOOST_AUTO_TEST_CASE(the_penalty_settles_where_expected) {
  // Small oscillations: lambda hardly changes, so the violation is the steady one, Lambda^-1 lambda / K_P.
  const Pendulum pendulum(0.2);
  for (const double Lambda : {1e3, 1e4}) {
    SimulationOptions options;
    options.formulation = "penalty";
    options.rtol = options.atol = 1e-10;
    options.t_end = 5.0;
    options.gains = Gains::natural_frequency(20.0, 1.0);
    options.gains.Lambda = Gain(Lambda);
    GainQuestion question = adaptive(IntegratorKind::bdf, 1e-10);
    question.gains = options.gains;
    const GainAdvice advice = advise_gains(pendulum.system, pendulum.state(), question);
    const double measured = simulate(pendulum.system, pendulum.start, options).report.max_position_violation;
    BOOST_REQUIRE(advice.expected_violation.size() == 1);
    BOOST_TEST(measured < 2.0 * advice.expected_violation[0]);
    BOOST_TEST(measured > 0.5 * advice.expected_violation[0]);
    BOOST_TEST(warns(advice, "soft"));
  }
}

BOOST_AUTO_TEST_CASE(full_gains_have_the_margin_of_their_eigenvalues) {
  // K_D = 2 W, K_P = W^2 with W similar to diag(a, b): the roots are -a, -b, both double.
  const mechanisms::Mechanism m = mechanisms::find_mechanism("slider_crank").make(0);
  const MotionState state = consistent_state(m.system, m.start).state;
  const double c = std::cos(0.4);
  const double s = std::sin(0.4);
  const Eigen::Matrix2d turn = (Eigen::Matrix2d() << c, -s, s, c).finished();
  const Eigen::MatrixXd W = turn * Eigen::Vector2d(40.0, 100.0).asDiagonal() * turn.transpose();
  GainQuestion question = with_step(rk4(), 1e-2);
  question.gains.K_D = Gain(Eigen::MatrixXd(2.0 * W));
  question.gains.K_P = Gain(Eigen::MatrixXd(W * W));
  const GainAdvice advice = advise_gains(m.system, state, question);
  BOOST_TEST(std::abs(advice.stability_margin - rk4().real_stability_limit()) < 1e-4);
  BOOST_TEST(std::abs(advice.slowest - 40.0) < 1e-3);
}

BOOST_AUTO_TEST_CASE(a_question_that_cannot_be_answered_is_refused) {
  const Pendulum pendulum(1.0);
  const auto complaint = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  BOOST_TEST(has(complaint([&] { advise_gains(pendulum.system, MotionState()); }), "consistent_state"));
  BOOST_TEST(has(complaint([&] { advise_gains(nullptr, pendulum.state()); }), "null"));
  BOOST_TEST(has(complaint([&] { advise_gains(pendulum.system, pendulum.state(), with_step(rk4(), 0.0)); }), "step"));
  GainQuestion question;
  question.time_scale = -1.0;
  BOOST_TEST(has(complaint([&] { advise_gains(pendulum.system, pendulum.state(), question); }), "time_scale"));
}
