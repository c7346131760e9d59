// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include <sunlagrange/sunlagrange.hpp>

#include "models.hpp"

using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

// The linearised step against the stability function where that is exact, against nonlinear steps where it is not.

namespace {

const ButcherTable* const tables[] = {&rk1(), &rk2(), &rk3(), &rk4()};

ConstrainedFlow linear_flow(const MatrixXd& K) {
  return {[K](double, const VectorXd& y, VectorXd& ydot) {
            ydot = K * y;
            return true;
          },
          [](double, const VectorXd& y, VectorXd& e) {
            e = y;
            return true;
          }};
}

/// f = sin y1 - 2 sin y2 with f' = -k f, [002, Example 2] with c = 1 and the sign that is stable: no mechanism at all.
ConstrainedFlow program(double k) {
  return {[k](double, const VectorXd& y, VectorXd& ydot) {
            const Vector2d a(std::cos(y[0]), -2.0 * std::cos(y[1]));
            const double f = std::sin(y[0]) - 2.0 * std::sin(y[1]);
            ydot = Vector2d(a[1], -a[0]) - k * f / a.squaredNorm() * a;
            return true;
          },
          [](double, const VectorXd& y, VectorXd& e) {
            e = VectorXd::Constant(1, std::sin(y[0]) - 2.0 * std::sin(y[1]));
            return true;
          }};
}

StepMap map_of(const ButcherTable& table, const ConstrainedFlow& flow, double step, const VectorXd& y) {
  StepMap map;
  BOOST_REQUIRE(step_map(table, flow, 0.0, step, y, map));
  return map;
}

struct PendulumForm {
  std::shared_ptr<const MechanicalSystem> system = make_system(test::Pendulum{});
  FirstOrderForm form;

  explicit PendulumForm(double omega) : form(system, start(), options(omega)) {}

  MotionState start() const {
    InitialState given;
    given.q = Vector2d(0.6, -0.8);
    given.v = Vector2d(2.4, 1.8);
    return consistent_state(system, given).state;
  }
  static FormulationOptions options(double omega) {
    FormulationOptions result;
    result.gains = Gains::natural_frequency(omega, 1.0);
    return result;
  }
  ConstrainedFlow flow() {
    return {[this](double t, const VectorXd& y, VectorXd& ydot) { return form.rhs(t, y, ydot); },
            [this](double t, const VectorXd& y, VectorXd& e) { return form.constraint_error(t, y, e); }};
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(constant_linear_laws_give_the_stability_function) {
  MatrixXd K(2, 2);
  K << 0.0, 1.0, -9.0, -4.0;
  for (const ButcherTable* table : tables) {
    BOOST_TEST_CONTEXT(table->name) {
      const MatrixXd S = map_of(*table, linear_flow(K), 0.3, Vector2d(0.2, -0.1)).on_errors();
      BOOST_TEST((S - table->stability_function(MatrixXd(0.3 * K))).norm() < 1e-9);
    }
  }
}

BOOST_AUTO_TEST_CASE(short_steps_of_a_program_approach_the_stability_function_linearly) {
  const double z = 1.7;
  const VectorXd y = Vector2d(0.7, std::asin(0.5 * std::sin(0.7)));
  for (const ButcherTable* table : tables) {
    double gaps[2];
    for (int i = 0; i < 2; ++i) {
      const double step = i == 0 ? 1e-3 : 5e-4;
      gaps[i] = std::abs(map_of(*table, program(z / step), step, y).on_errors()(0, 0) - table->stability_function(-z));
    }
    BOOST_TEST_CONTEXT(table->name << ": " << gaps[0] << " " << gaps[1]) {
      BOOST_TEST(gaps[0] < 5e-3);
      BOOST_TEST(gaps[1] < 0.6 * gaps[0] + 1e-7);
    }
  }
}

BOOST_AUTO_TEST_CASE(seeded_nonlinear_steps_do_what_the_map_says) {
  PendulumForm pendulum(20.0);
  const ConstrainedFlow flow = pendulum.flow();
  const VectorXd y = pendulum.form.pack(pendulum.start());
  const double step = 0.06;
  for (const ButcherTable* table : tables) {
    const StepMap map = map_of(*table, flow, step, y);
    const MatrixXd D = map.error.transpose();
    VectorXd moved, base, e_moved, e_base, seeded, unseeded;
    const VectorXd seed = 1e-7 * D.col(0) - 3e-7 * D.col(1);
    BOOST_REQUIRE(runge_kutta_step(*table, flow.rhs, 0.0, step, y, base));
    BOOST_REQUIRE(runge_kutta_step(*table, flow.rhs, 0.0, step, y + seed, moved));
    BOOST_REQUIRE(flow.error(step, base, e_base) && flow.error(step, moved, e_moved));
    BOOST_REQUIRE(flow.error(0.0, y, unseeded) && flow.error(0.0, y + seed, seeded));
    const VectorXd expected = map.on_errors() * (seeded - unseeded);
    BOOST_TEST_CONTEXT(table->name) {
      BOOST_TEST((e_moved - e_base - expected).norm() < 1e-4 * expected.norm());
      BOOST_TEST((map.next - base).norm() == 0.0);
      // at this step the turning of the constraint during the step matters
      MatrixXd K(2, 2);
      K << 0.0, 1.0, -400.0, -40.0;
      BOOST_TEST((map.on_errors() - table->stability_function(MatrixXd(step * K))).norm() > 1e-2);
    }
  }
}

BOOST_AUTO_TEST_CASE(only_the_span_of_the_directions_matters) {
  PendulumForm pendulum(20.0);
  const StepMap map = map_of(rk3(), pendulum.flow(), 0.05, pendulum.form.pack(pendulum.start()));
  MatrixXd mix(2, 2);
  mix << 3.0, -40.0, 0.2, 7.0;
  const MatrixXd D = map.error.transpose();
  BOOST_TEST((map.on_errors(D * mix) - map.on_errors()).norm() < 1e-10 * map.on_errors().norm());
}

BOOST_AUTO_TEST_CASE(growth_decides_by_the_spectral_radius_whatever_the_transient) {
  // R has the eigenvalues 0.9, 0.8 and grows by 100 before it decays
  MatrixXd slow(2, 2);
  slow << 0.9, 50.0, 0.0, 0.8;
  StepMap map;
  map.error = map.next_error = MatrixXd::Identity(2, 2);
  map.next = VectorXd::Zero(2);
  map.change = slow;
  const ErrorGrowth decays = error_growth(std::vector<StepMap>(200, map), VectorXd::Ones(2));
  BOOST_TEST(decays.halves < 1.0);
  BOOST_TEST(decays.peak > 50.0);
  BOOST_TEST(decays.peak < 1000.0);
  map.change = 1.2 * slow;
  const ErrorGrowth grows = error_growth(std::vector<StepMap>(200, map), VectorXd::Ones(2));
  BOOST_TEST(grows.halves > 1.0);
  // without overflow: 3000 steps of a factor 10
  map.change = 10.0 * MatrixXd::Identity(2, 2);
  const ErrorGrowth fast = error_growth(std::vector<StepMap>(3000, map), Vector2d(1.0, 1e-3));
  BOOST_TEST(std::isinf(fast.peak));
  BOOST_TEST(fast.halves > 1e300);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_linearised_is_refused) {
  const VectorXd y = Vector2d(0.3, 0.1);
  StepMap map;
  const ConstrainedFlow flow = program(10.0);
  BOOST_CHECK_THROW(step_map({"bad", 2, {0.0, 1.0}, {{}, {1.0}}, {0.5, 0.4}}, flow, 0.0, 0.1, y, map), Error);
  BOOST_CHECK_THROW(step_map(rk4(), {flow.rhs, nullptr}, 0.0, 0.1, y, map), Error);
  const ConstrainedFlow declines = {[](double t, const VectorXd& x, VectorXd& xdot) {
                                      xdot = x;
                                      return t < 0.01;
                                    },
                                    flow.error};
  BOOST_TEST(!step_map(rk4(), declines, 0.0, 0.1, y, map));
  BOOST_TEST(step_map(rk1(), declines, 0.0, 0.1, y, map));
  BOOST_TEST(step_map(rk4(), flow, 0.0, 0.1, y, map));
  BOOST_CHECK_THROW(map.on_errors(MatrixXd::Ones(3, 1)), Error);
  BOOST_CHECK_THROW(map.on_errors(MatrixXd::Zero(2, 1)), Error);
  BOOST_CHECK_THROW(error_growth({map}, VectorXd::Ones(1)), Error);
  BOOST_CHECK_THROW(error_growth({map, map}, VectorXd::Ones(2)), Error);
  BOOST_CHECK_THROW(error_growth({map, map}, VectorXd::Zero(1)), Error);
}

BOOST_AUTO_TEST_CASE(an_error_that_a_step_removes_altogether_does_not_grow) {
  const ConstrainedFlow flow = linear_flow(-MatrixXd::Identity(1, 1));
  const std::vector<StepMap> maps(8, map_of(rk1(), flow, 1.0, VectorXd::Constant(1, 0.3)));  // R(-1) = 0
  const ErrorGrowth growth = error_growth(maps, VectorXd::Ones(1));
  BOOST_TEST(growth.halves < 1e-3);
  BOOST_TEST(growth.peak == 1.0);
}
