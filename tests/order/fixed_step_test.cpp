// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "models.hpp"
#include "runs.hpp"

/// Fixed-step Runge-Kutta methods through ARKODE: order of convergence on a constrained mechanism, stability limits.
using namespace sunlagrange;

namespace {

/// v' = 0 with the velocity constraint v = 0: Baumgarte gives v' = -K_N v, the test equation of stability theory.
struct TestEquation {
  static constexpr int num_positions = 1;
  static constexpr int num_velocity_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
  template <class T>
  void velocity_constraint(T, View<const T>, View<const T> v, View<T> psi) const {
    psi[0] = v[0];
  }
};

double pendulum_error(const std::string& integrator, int steps) {
  const auto pendulum = mechanisms::find_mechanism("pendulum").make(0);
  SimulationOptions options;
  options.integrator = integrator;
  options.t_end = 1.0;
  options.step = options.t_end / steps;
  options.gains = Gains::critically_damped({2.0});
  const Simulation run = simulate(pendulum.system, pendulum.start, options);
  BOOST_REQUIRE(run.status.finished());
  BOOST_TEST(run.report.steps == steps);
  return test::end_error(pendulum, run);
}

}  // namespace

BOOST_AUTO_TEST_CASE(p8_observed_orders) {
  int tested = 0;
  for (const IntegratorInfo& method : integrators()) {
    if (method.fixed_step_table == nullptr) continue;
    BOOST_TEST_CONTEXT(method.name) {
      for (const std::string& problem : method.fixed_step_table->problems()) BOOST_ERROR(problem);
      const std::string name(method.name);
      const int order = method.fixed_step_table->order;
      const int steps = order == 1 ? 1000 : 800 / (1 << (order - 1));
      const double e1 = pendulum_error(name, steps);
      const double e2 = pendulum_error(name, 2 * steps);
      const double e3 = pendulum_error(name, 4 * steps);
      BOOST_TEST(std::abs(std::log2(e1 / e2) - order) < 0.15);
      BOOST_TEST(std::abs(std::log2(e2 / e3) - order) < 0.1);
      ++tested;
    }
  }
  BOOST_TEST(tested >= 4);
}

BOOST_AUTO_TEST_CASE(p8_stability_boundaries_of_the_running_methods) {
  const struct {
    const char* name;
    double limit;
  } methods[] = {{"rk1", 2.000}, {"rk2", 2.000}, {"rk3", 2.513}, {"rk4", 2.785}};
  const auto system = make_system(TestEquation{});
  for (const auto& method : methods) {
    for (const bool stable : {true, false}) {
      SimulationOptions options;
      options.integrator = method.name;
      options.step = 1e-3;
      options.t_end = 1.0;
      options.start = Start::as_given;
      options.gains.K_N = Gain((method.limit + (stable ? -0.01 : 0.01)) / options.step);
      const Simulation run =
          simulate(system, {0.0, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, 1e-3)}, options);
      const double last = std::abs(run.trajectory.v(run.trajectory.size() - 1)[0]);
      BOOST_TEST_CONTEXT(method.name << (stable ? " inside" : " outside")) {
        BOOST_TEST((last < 1e-3) == stable, "|v| = " << last);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(euler_contracts_the_violation_by_one_minus_gain_times_step) {
  // psi' + K_N psi = 0 by Euler: psi_n = (1 - K_N tau)^n psi_0, exactly.
  SimulationOptions options;
  options.integrator = "rk1";
  options.step = 1e-2;
  options.t_end = 0.5;
  options.start = Start::as_given;
  options.gains.K_N = Gain(30.0);
  const Simulation run = simulate(make_system(TestEquation{}),
                                  {0.0, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, 1.0)}, options);
  BOOST_REQUIRE(run.trajectory.size() == 51U);
  for (std::size_t k = 0; k < run.trajectory.size(); ++k) {
    BOOST_TEST(std::abs(run.trajectory.v(k)[0] / std::pow(0.7, static_cast<double>(k)) - 1.0) < 1e-11);
  }
}
