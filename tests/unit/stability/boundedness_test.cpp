// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>

#include "models.hpp"

using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

namespace {

template <class Error>
ErrorHistory history_of(const Error& e, double t_end, int points) {
  ErrorHistory history;
  history.e.resize(1, points);
  for (int k = 0; k < points; ++k) {
    history.t.push_back(t_end * k / (points - 1));
    history.e(0, k) = e(history.t.back());
  }
  return history;
}

Simulation run_pendulum(const Gains& gains, Start start, double t_end) {
  SimulationOptions options;
  options.t_end = t_end;
  options.rtol = options.atol = 1e-10;
  options.gains = gains;
  options.start = start;
  return simulate(make_system(test::Pendulum{}), {0.0, Vector2d(1.01, 0.0), Vector2d(0.05, 0.0)}, options);
}

DecayCertificate certificate_of(double omega, double zeta) {
  return DampedForm(MatrixXd::Constant(1, 1, 2.0 * zeta * omega), MatrixXd::Constant(1, 1, omega * omega))
      .best_certificate();
}

}  // namespace

BOOST_AUTO_TEST_CASE(rate_and_floor_of_a_known_decay) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> noise(-1.0, 1.0);
  for (const double rate : {0.5, 3.0, 20.0}) {
    for (const double floor : {1e-9, 1e-6}) {
      const auto e = [&](double t) {
        return 0.01 * std::exp(-rate * t) * std::cos(3.0 * rate * t) + floor * noise(generator);
      };
      const Boundedness b = measure_boundedness(history_of(e, 60.0 / rate, 3000));
      BOOST_TEST(std::abs(b.rate / rate - 1.0) < 0.05, b.verdict);
      BOOST_TEST(b.noise_floor > 0.5 * floor);
      BOOST_TEST(b.noise_floor < 3.0 * floor);
      const double arrival = std::log(0.01 / (3.0 * b.noise_floor)) / rate;
      BOOST_TEST(std::abs(b.t_floor / arrival - 1.0) < 0.1);
      BOOST_TEST(b.final_error <= b.noise_floor);
    }
  }
}

BOOST_AUTO_TEST_CASE(without_a_floor_none_is_reported) {
  const auto pure = [](double t) { return std::exp(-2.0 * t); };
  const Boundedness decay = measure_boundedness(history_of(pure, 10.0, 400));
  BOOST_TEST(std::abs(decay.rate - 2.0) < 1e-9);
  BOOST_TEST(std::abs(decay.overshoot - 1.0) < 1e-9);
  BOOST_TEST(decay.noise_floor == 0.0);
  BOOST_TEST(std::isnan(decay.t_floor));
  BOOST_TEST(decay.growth == 1.0);
  // Overdamped: the slow mode at 1/60 of the fast rate is no noise.
  const auto slow = [](double t) { return std::exp(-8.0 * t) + 0.016 * std::exp(-0.127 * t); };
  const Boundedness two = measure_boundedness(history_of(slow, 30.0, 4000));
  BOOST_TEST(two.noise_floor == 0.0, two.verdict);
  BOOST_TEST(two.rate > 0.1);
  // Critical damping rises first: the overshoot covers it.
  const auto critical = [](double t) { return (0.1 + t) * std::exp(-t); };
  const ErrorHistory rising = history_of(critical, 20.0, 2000);
  const Boundedness b = measure_boundedness(rising);
  BOOST_TEST(b.growth > 3.0);
  BOOST_TEST(std::abs(b.t_epsilon - 0.9) < 0.02);
  for (std::size_t k = 0; k < rising.t.size(); ++k) {
    BOOST_TEST(rising.e(0, static_cast<Eigen::Index>(k)) <=
               b.overshoot * b.delta * std::exp(-b.rate * rising.t[k]) * (1.0 + 1e-12));
  }
}

BOOST_AUTO_TEST_CASE(short_runs_do_not_flatter_the_rate) {
  // A fast mode beside the slow one: the rate that counts is 0.803, which short runs overrate.
  const auto e = [](double t) { return std::exp(-0.803 * t) + 3.0 * std::exp(-2.5 * t); };
  double before = INFINITY;
  for (const double t_end : {3.0, 6.0, 12.0, 25.0}) {
    const Boundedness b = measure_boundedness(history_of(e, t_end, 2000));
    BOOST_TEST(b.rate > 0.803);
    BOOST_TEST(std::abs(b.late_rate - 0.803) < std::abs(b.rate - 0.803), b.verdict);
    BOOST_TEST(b.rate < before);
    before = b.rate;
    BOOST_TEST(b.long_enough == (t_end == 25.0), b.verdict);
    BOOST_TEST((b.verdict.find("too short") == std::string::npos) == b.long_enough, b.verdict);
    if (b.long_enough) BOOST_TEST(std::abs(b.late_rate / 0.803 - 1.0) < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(growth_noise_and_zero_are_called_by_their_names) {
  const Boundedness growing = measure_boundedness(history_of([](double t) { return std::exp(0.3 * t); }, 10.0, 200));
  BOOST_TEST(std::abs(growing.rate + 0.3) < 1e-9);
  BOOST_TEST(growing.verdict.find("did not fall") != std::string::npos);
  BOOST_TEST(std::abs(growing.growth - std::exp(3.0)) < 1e-9);
  BoundednessOptions known;
  known.noise_floor = 1e-8;
  const Boundedness noise =
      measure_boundedness(history_of([](double t) { return 1e-8 * std::sin(1e4 * t * t); }, 10.0, 500), known);
  BOOST_TEST(std::isnan(noise.rate));
  BOOST_TEST(noise.verdict.find("no rate") != std::string::npos);
  const Boundedness zero = measure_boundedness(history_of([](double) { return 0.0; }, 1.0, 10));
  BOOST_TEST(zero.epsilon == 0.0);
  BOOST_TEST(std::isnan(zero.growth));
  BOOST_TEST(std::isnan(zero.rate));
}

BOOST_AUTO_TEST_CASE(the_weight_chooses_the_norm) {
  ErrorHistory history{{0.0, 1.0}, MatrixXd(2, 2)};
  history.e << 3.0, 0.0, 4.0, 1.0;
  BOOST_TEST(std::abs(measure_boundedness(history).delta - 5.0) < 1e-15);
  BoundednessOptions options;
  options.weight = (MatrixXd(2, 2) << 2.0, 1.0, 1.0, 3.0).finished();
  BOOST_TEST(std::abs(measure_boundedness(history, options).delta - std::sqrt(18.0 + 24.0 + 48.0)) < 1e-14);
  options.weight(0, 0) = -1.0;
  BOOST_CHECK_THROW(measure_boundedness(history, options), Error);
}

BOOST_AUTO_TEST_CASE(error_history_is_that_of_the_recorded_states) {
  const Simulation run = run_pendulum(Gains::natural_frequency(5.0, 1.0), Start::as_given, 1.0);
  const ErrorHistory history = constraint_error_history(run.trajectory, *make_system(test::Pendulum{}));
  BOOST_REQUIRE(history.t.size() == run.trajectory.size());
  for (std::size_t k = 0; k < history.t.size(); ++k) {
    const auto q = run.trajectory.q(k), v = run.trajectory.v(k);
    BOOST_TEST(history.t[k] == run.trajectory.t(k));
    BOOST_TEST(std::abs(history.e(0, static_cast<Eigen::Index>(k)) - 0.5 * (q.dot(q) - 1.0)) < 1e-15);
    BOOST_TEST(std::abs(history.e(1, static_cast<Eigen::Index>(k)) - q.dot(v)) < 1e-15);
  }
}

BOOST_AUTO_TEST_CASE(p20_runs_from_a_violated_start_keep_their_certificate) {
  for (const double zeta : {0.5, 1.0, 2.0}) {
    const double omega = 5.0;
    const auto system = make_system(test::Pendulum{});
    const double true_rate = omega * (zeta <= 1.0 ? zeta : zeta - std::sqrt(zeta * zeta - 1.0));
    const Simulation run = run_pendulum(Gains::natural_frequency(omega, zeta), Start::as_given, 60.0 / true_rate);
    BOOST_REQUIRE(run.status.finished());
    const ErrorHistory history = constraint_error_history(run.trajectory, *system);
    const Boundedness measured = measure_boundedness(history);
    const DecayCertificate certificate = certificate_of(omega, zeta);
    BOOST_TEST(measured.rate >= certificate.rate, measured.verdict);
    BOOST_TEST(std::abs(measured.rate / true_rate - 1.0) < 0.2, measured.verdict);
    BOOST_TEST(measured.noise_floor > 0.0);
    BOOST_TEST(measured.noise_floor < 1e-6 * measured.delta);
    const BoundCheck kept = check_bound(history, certificate, measured.noise_floor);
    BOOST_TEST(kept.respected, kept.verdict);
    BOOST_TEST(kept.worst_ratio_in_form <= 1.0 + 1e-6);
    const double at_start = (1.0 - measured.noise_floor / measured.delta) / certificate.overshoot;
    BOOST_TEST(kept.worst_ratio >= at_start * (1.0 - 1e-12));
    // A promise made for gains four times as high is not kept by this run, and that is seen.
    const BoundCheck broken = check_bound(history, certificate_of(16.0 * omega, zeta), measured.noise_floor);
    BOOST_TEST(!broken.respected);
    BOOST_TEST(broken.first_violation > 0.0);
    BOOST_TEST(broken.first_violation < 3.0);
  }
}

BOOST_AUTO_TEST_CASE(a_start_on_the_constraints_has_no_rate) {
  const Simulation run = run_pendulum(Gains::natural_frequency(5.0, 1.0), Start::consistent, 5.0);
  const ErrorHistory history = constraint_error_history(run.trajectory, *make_system(test::Pendulum{}));
  const Boundedness b = measure_boundedness(history);
  BOOST_TEST(b.epsilon < 1e-7);
  BOOST_TEST((std::isnan(b.rate) || b.rate < 1.0), b.verdict);  // nothing there that could decay at 5/s
}

BOOST_AUTO_TEST_CASE(wrong_arguments_are_named) {
  BOOST_CHECK_THROW(measure_boundedness({}), Error);
  ErrorHistory history{{0.0, 1.0}, MatrixXd::Ones(2, 2)};
  history.e(1, 1) = std::nan("");
  BOOST_CHECK_THROW(measure_boundedness(history), Error);
  history.e(1, 1) = 1.0;
  history.t[1] = -1.0;
  BOOST_CHECK_THROW(measure_boundedness(history), Error);
  history.t[1] = 1.0;
  DecayCertificate none;
  none.verdict = "unstable";
  BOOST_CHECK_EXCEPTION(check_bound(history, none, 0.0), Error,
                        [](const Error& e) { return std::string(e.what()).find("unstable") != std::string::npos; });
  BOOST_CHECK_THROW(check_bound(history, certificate_of(1.0, 1.0), -1.0), Error);
  history.e = MatrixXd::Ones(3, 2);
  BOOST_CHECK_THROW(check_bound(history, certificate_of(1.0, 1.0), 0.0), Error);
  BOOST_CHECK_THROW(constraint_error_history(Trajectory(2, 1), *make_system(test::Pendulum{})), Error);
}
