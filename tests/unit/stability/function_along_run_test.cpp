// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include "models.hpp"

using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

namespace {

/// Pendulum in Baumgarte form that starts off its circle.
Simulation violated_run(double omega, double zeta, double t_end) {
  SimulationOptions options;
  options.t_end = t_end;
  options.rtol = options.atol = 1e-10;
  options.gains = Gains::natural_frequency(omega, zeta);
  options.start = Start::as_given;
  return simulate(make_system(test::Pendulum{}), {0.0, Vector2d(1.01, 0.0), Vector2d(0.05, 0.0)}, options);
}

}  // namespace

BOOST_AUTO_TEST_CASE(derivative_is_that_along_the_motion) {
  const Simulation run = violated_run(5.0, 1.0, 2.0);
  BOOST_REQUIRE(run.status.finished());
  const Trajectory& path = run.trajectory;
  const auto V = [](double t, const VectorXd& q, const VectorXd& v) {
    return std::sin(3.0 * t) * q[0] + q[0] * q[1] * v[1] + v[0] * v[0];
  };
  const FunctionAlongRun along = function_along_run(path, V);
  BOOST_REQUIRE(along.t.size() == path.size());
  for (std::size_t k = 0; k < path.size(); ++k) {
    const double t = path.t(k);
    const auto q = path.q(k), v = path.v(k), a = path.a(k);
    const double exact = 3.0 * std::cos(3.0 * t) * q[0] + std::sin(3.0 * t) * v[0] + v[0] * q[1] * v[1] +
                         q[0] * v[1] * v[1] + q[0] * q[1] * a[1] + 2.0 * v[0] * a[0];
    BOOST_TEST(std::abs(along.value[k] - V(t, q, v)) == 0.0);
    BOOST_TEST(std::abs(along.derivative[k] - exact) < 1e-9);
    BOOST_TEST(std::abs(along.derivative[k] - exact) <= along.error[k] + 1e-11);  // the estimate covers the error
  }
  BOOST_TEST(along.max_error < 1e-7);
}

BOOST_AUTO_TEST_CASE(dense_output_gives_points_between_the_steps) {
  const Simulation run = violated_run(5.0, 1.0, 1.0);
  const auto V = [](double, const VectorXd& q, const VectorXd&) { return q[1]; };
  FunctionAlongRunOptions options;
  options.points_per_step = 3;
  const FunctionAlongRun along = function_along_run(run.trajectory, V, options);
  BOOST_REQUIRE(along.t.size() == 3 * (run.trajectory.size() - 1) + 1);
  for (std::size_t k = 0; k < along.t.size(); ++k) {
    BOOST_TEST((k == 0 || along.t[k] > along.t[k - 1]));
    BOOST_TEST(std::abs(along.derivative[k] - run.trajectory.velocity_at(along.t[k])[1]) <= along.error[k] + 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(lyapunov_function_of_the_gains_falls_along_a_run) {
  // 2 V of (18), with dV/dt of (19): the mechanism obeys the law of its constraint error.
  const double omega = 4.0, zeta = 0.6;
  const auto system = make_system(test::Pendulum{});
  const Simulation run = violated_run(omega, zeta, 1.5);
  BOOST_REQUIRE(run.status.finished());
  const DampedForm form(MatrixXd::Constant(1, 1, 2.0 * zeta * omega), MatrixXd::Constant(1, 1, omega * omega));
  const double epsilon = form.best_epsilon();
  const DecayCertificate certificate = form.certificate(epsilon);
  FunctionAlongRunOptions options;
  options.rate = 2.0 * certificate.rate;
  const FunctionAlongRun along =
      function_along_run(run.trajectory, constraint_error_form(system, certificate.P), options);
  const ErrorHistory errors = constraint_error_history(run.trajectory, *system);
  for (std::size_t k = 0; k < along.t.size(); ++k) {
    const VectorXd y = errors.e.col(static_cast<Eigen::Index>(k));
    const auto q = run.trajectory.q(k), v = run.trajectory.v(k), a = run.trajectory.a(k);
    const Vector2d rate(y[1], q.dot(a) + v.dot(v));  // (g', g'') with the recorded acceleration
    const double scale = y.cwiseAbs().dot(form.Q(epsilon) * y.cwiseAbs());
    BOOST_TEST(std::abs(along.value[k] - 2.0 * form.value(epsilon, y.head(1), y.tail(1))) < 1e-14);
    BOOST_TEST(std::abs(along.derivative[k] - 2.0 * y.dot(certificate.P * rate)) <= along.error[k] + 1e-12);
    BOOST_TEST(std::abs(along.derivative[k] + 2.0 * y.dot(form.Q(epsilon) * y)) < 1e-3 * scale + 1e-11);
  }
  BOOST_TEST(std::isnan(along.first_increase), along.verdict);
  BOOST_TEST(along.min_value >= 0.0);
  BOOST_TEST(along.t_max_value == 0.0);
  // (18) cannot decay faster than the true rate zeta omega everywhere: that is noticed.
  options.rate = 2.0 * 1.5 * zeta * omega;
  BOOST_TEST(!std::isnan(
      function_along_run(run.trajectory, constraint_error_form(system, certificate.P), options).first_increase));
}

BOOST_AUTO_TEST_CASE(first_increase_is_found) {
  const Simulation run = violated_run(5.0, 1.0, 4.0);
  const auto V = [](double t, const VectorXd&, const VectorXd&) { return 2.0 - std::sin(t); };
  const FunctionAlongRun along = function_along_run(run.trajectory, V);
  const double turn = std::acos(0.0);
  BOOST_TEST(along.first_increase > turn);
  for (const double t : along.t) {
    if (t < along.first_increase) BOOST_TEST(t <= turn + 1e-6);
  }
  BOOST_TEST(std::abs(along.max_derivative - (-std::cos(along.t_max_derivative))) < 1e-9);
  BOOST_TEST(along.verdict.find("fails first at") != std::string::npos);
  const auto constant = [](double, const VectorXd&, const VectorXd&) { return 1.0 / 3.0; };
  BOOST_TEST(std::isnan(function_along_run(run.trajectory, constant).first_increase));
  const auto negative = [](double t, const VectorXd&, const VectorXd&) { return -t; };
  BOOST_TEST(function_along_run(run.trajectory, negative).verdict.find("negative") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(wrong_arguments_are_named) {
  const auto V = [](double, const VectorXd& q, const VectorXd&) { return std::sqrt(q[1]); };
  BOOST_CHECK_THROW(function_along_run(Trajectory(2, 1), V), Error);
  const Simulation run = violated_run(5.0, 1.0, 0.5);
  BOOST_CHECK_EXCEPTION(function_along_run(run.trajectory, V), Error, [](const Error& e) {
    return std::string(e.what()).find("must be finite") != std::string::npos;
  });
  FunctionAlongRunOptions options;
  options.points_per_step = 0;
  BOOST_CHECK_THROW(function_along_run(run.trajectory, V, options), Error);
  BOOST_CHECK_THROW(function_along_run(run.trajectory, nullptr), Error);
  BOOST_CHECK_THROW(constraint_error_form(make_system(test::Pendulum{}), MatrixXd::Identity(3, 3)), Error);
}
