// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>

#include <sunlagrange/elements.hpp>

#include "mechanisms/mechanism.hpp"
#include "models.hpp"

using namespace sunlagrange;

namespace {

/// A polynomial of degree five and its derivatives, one per coordinate.
double p(int i, double t, int derivative) {
  const double c[2][6] = {{1.0, -2.0, 0.5, 3.0, -1.5, 0.7}, {-0.3, 0.8, 2.0, -1.0, 0.4, -0.9}};
  double sum = 0.0;
  for (int k = derivative; k <= 5; ++k) {
    double factor = c[i][k];
    for (int j = 0; j < derivative; ++j) factor *= k - j;
    sum += factor * std::pow(t, k - derivative);
  }
  return sum;
}

Trajectory quintic() {
  std::vector<MotionState> states;
  for (const double t : {-0.4, 0.1, 0.3, 1.2}) {
    const auto derivative = [t](int k) { return Eigen::Vector2d(p(0, t, k), p(1, t, k)); };
    states.push_back({t, derivative(0), derivative(1), derivative(2), Eigen::VectorXd::Constant(1, 10.0 * t)});
  }
  return Trajectory(states);
}

}  // namespace

BOOST_AUTO_TEST_CASE(dense_output_is_exact_for_quintics) {
  const Trajectory path = quintic();
  for (double t = -0.4; t <= 1.2; t += 0.05) {
    for (int i = 0; i < 2; ++i) {
      BOOST_TEST(std::abs(path.position_at(t)[i] - p(i, t, 0)) < 1e-13);
      BOOST_TEST(std::abs(path.velocity_at(t)[i] - p(i, t, 1)) < 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(dense_output_reproduces_the_steps) {
  const Trajectory path = quintic();
  for (std::size_t k = 0; k < path.size(); ++k) {
    BOOST_TEST((path.position_at(path.t(k)) - path.q(k)).norm() < 1e-14);
    BOOST_TEST((path.velocity_at(path.t(k)) - path.v(k)).norm() < 1e-13);
    BOOST_TEST(path.lambda(k)[0] == 10.0 * path.t(k));
  }
}

BOOST_AUTO_TEST_CASE(dense_output_of_a_motion_has_order_six) {
  const auto error = [](double h) {
    const auto one = [](double x) { return Eigen::VectorXd::Constant(1, x).eval(); };
    std::vector<MotionState> states;
    for (const double t : {0.3, 0.3 + h})
      states.push_back({t, one(std::sin(t)), one(std::cos(t)), one(-std::sin(t)), Eigen::VectorXd()});
    const Trajectory path(states);
    const double t = 0.3 + 0.5 * h;
    return std::pair(std::abs(path.position_at(t)[0] - std::sin(t)),
                     std::abs(path.velocity_at(0.3 + 0.3 * h)[0] - std::cos(0.3 + 0.3 * h)));
  };
  const auto [q1, v1] = error(0.8);
  const auto [q2, v2] = error(0.4);
  BOOST_TEST(std::log2(q1 / q2) > 5.7);
  BOOST_TEST(std::log2(v1 / v2) > 4.7);
}

BOOST_AUTO_TEST_CASE(times_outside_are_refused) {
  const Trajectory path = quintic();
  const auto names_the_interval = [](const Error& error) {
    const std::string what = error.what();
    return what.find("1.3") != std::string::npos && what.find("-0.4") != std::string::npos;
  };
  BOOST_CHECK_EXCEPTION(path.position_at(1.3), Error, names_the_interval);
  BOOST_CHECK_THROW(path.velocity_at(-0.41), Error);
  BOOST_CHECK_THROW(path.position_at(std::nan("")), Error);
  BOOST_CHECK_THROW(Trajectory(2, 1).position_at(0.0), Error);
}

BOOST_AUTO_TEST_CASE(states_must_fit_and_be_in_order) {
  const auto state = [](double t, int n, int m) {
    const Eigen::VectorXd x = Eigen::VectorXd::Constant(n, t);
    return MotionState{t, x, x, x, Eigen::VectorXd::Zero(m)};
  };
  const Trajectory path({state(0.0, 2, 1), state(1.0, 2, 1), state(1.0, 2, 1)});
  BOOST_TEST(path.num_positions() == 2);
  BOOST_TEST(path.num_constraints() == 1);
  BOOST_TEST(path.size() == 3U);
  BOOST_TEST(path.position_at(1.0)[1] == 1.0);
  BOOST_TEST(Trajectory(std::vector<MotionState>()).empty());
  BOOST_CHECK_THROW(Trajectory({state(0.0, 2, 1), state(1.0, 3, 1)}), Error);
  BOOST_CHECK_THROW(Trajectory({state(0.0, 2, 1), state(1.0, 2, 0)}), Error);
  BOOST_CHECK_THROW(Trajectory({state(1.0, 2, 1), state(0.0, 2, 1)}), Error);
}

BOOST_AUTO_TEST_CASE(csv_has_names_and_one_full_precision_row_per_step) {
  const auto system = make_system(test::Pendulum{});
  const Trajectory path = quintic();
  std::stringstream csv;
  path.write_csv(csv, *system);
  std::string line;
  std::getline(csv, line);
  BOOST_TEST(line == "t,q0,q1,q0',q1',lambda:" + system->constraint_name(0));
  std::size_t k = 0;
  for (; std::getline(csv, line); ++k) {
    std::istringstream row(line);
    std::vector<double> values;
    for (std::string item; std::getline(row, item, ',');) values.push_back(std::stod(item));
    BOOST_REQUIRE(values.size() == 6U);
    BOOST_TEST(values[0] == path.t(k));
    for (int i = 0; i < 2; ++i) {
      BOOST_TEST(values[static_cast<std::size_t>(1 + i)] == path.q(k)[i]);
      BOOST_TEST(values[static_cast<std::size_t>(3 + i)] == path.v(k)[i]);
    }
    BOOST_TEST(values[5] == path.lambda(k)[0]);
  }
  BOOST_TEST(k == path.size());
}

BOOST_AUTO_TEST_CASE(names_that_csv_cannot_hold_are_quoted) {
  Assembly assembly;
  const Block cranked = assembly.add_coordinates("cr,ank", BlockKind::translation),
              quoted = assembly.add_coordinates("5\" pipe", BlockKind::translation);
  assembly.add("mass a", SlidingMass{1.0}, {cranked});
  assembly.add("mass b", SlidingMass{1.0}, {quoted});
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(2);
  std::stringstream csv;
  Trajectory({{0.0, one, one, one, {}}}).write_csv(csv, *assembly.build());
  std::string line;
  std::getline(csv, line);
  BOOST_TEST(line == "t,\"cr,ank\",\"5\"\" pipe\",\"cr,ank'\",\"5\"\" pipe'\"");
}

BOOST_AUTO_TEST_CASE(csv_files) {
  const auto system = make_system(test::Pendulum{});
  const std::string file = "trajectory_test.csv";
  quintic().write_csv(file, *system);
  std::ifstream in(file);
  std::string line;
  int lines = 0;
  while (std::getline(in, line)) ++lines;
  BOOST_TEST(lines == 5);
  std::remove(file.c_str());
  BOOST_CHECK_EXCEPTION(quintic().write_csv("no such folder/file.csv", *system), Error, [](const Error& error) {
    return std::string(error.what()).find("no such folder/file.csv") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(dense_output_on_the_constraints) {
  const auto pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SimulationOptions options;
  options.formulation = "projected";
  options.rtol = options.atol = 1e-6;
  options.t_end = 2.0;
  const Simulation run = simulate(pendulum.system, pendulum.start, options);
  BOOST_REQUIRE(run.status.finished());
  double plain = 0.0;
  for (double t = 0.013; t < 2.0; t += 0.1) {
    const ConsistentState on = consistent_state_at(run.trajectory, pendulum.system, t);
    const Eigen::VectorXd between = run.trajectory.position_at(t);
    plain = std::max(plain, std::abs(between.norm() - 1.0));
    BOOST_TEST(std::abs(on.state.q.norm() - 1.0) < 1e-14);
    BOOST_TEST(std::abs(on.state.q.dot(on.state.v)) < 1e-13);
    BOOST_TEST((on.state.q - between).norm() < 1e-6);
  }
  BOOST_TEST(plain > 1e-13);  // there was something to project
}
