// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <map>

#include "mechanisms/mechanism.hpp"

/// The slider-crank program of [002] with fixed steps: the values, laws and limits that were recomputed independently
/// of this library (largest |f| over ten seconds from a start on f = 0).
using namespace sunlagrange;
using Eigen::VectorXd;

namespace {

const mechanisms::Mechanism& slider_crank() {
  static const mechanisms::Mechanism mechanism = mechanisms::find_mechanism("slider_crank_program").make(0);
  return mechanism;
}

ButcherTable midpoint() {
  ButcherTable table;
  table.name = "midpoint";
  table.A = {{}, {0.5}};
  table.b = {0.0, 1.0};
  table.c = {0.0, 0.5};
  table.order = 2;
  return table;
}

SimulationOptions options_for(const std::string& method, double step, double k) {
  SimulationOptions options;
  options.formulation = "integral_manifold";
  options.gains.K_N = k;
  options.integrator = method;
  if (method == "midpoint") {
    options.integrator = "table";
    options.table = midpoint();
  }
  options.step = step;
  options.t_end = 10.0;
  options.record = Record::ends_only;
  return options;
}

double largest_violation(const std::string& method, double step, double k) {
  return simulate(slider_crank().system, slider_crank().start, options_for(method, step, k))
      .report.max_position_violation;
}

/// With the sign as printed: f' = +k f.
struct AsPrinted {
  double gain = 1.0;
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void constraint(T, View<const T> y, View<T> f) const {
    f[0] = sin(y[0]) - 2.0 * sin(y[1]);
  }
  template <class T>
  void feedback(T, View<const T>, View<const T> f, View<T> a) const {
    a[0] = gain * f[0];
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(violation_of_eulers_method_at_the_gains_of_the_paper) {
  const std::map<double, double> published = {{14.0, 1.063e-4},  {15.0, 9.93e-5},   {100.0, 1.50e-5},
                                              {1000.0, 1.50e-6}, {1900.0, 7.89e-7}, {2000.0, 7.50e-7}};
  for (const auto& [k, value] : published) {
    const double f = largest_violation("rk1", 1e-3, k);
    BOOST_TEST(f == value, boost::test_tools::tolerance(0.01));
    if (k >= 100.0) BOOST_TEST(f == 1.5e-3 / k, boost::test_tools::tolerance(0.01));
  }
  BOOST_TEST(largest_violation("rk1", 1e-3, 2001.0) == 5.5e-6, boost::test_tools::tolerance(0.1));
  BOOST_TEST(largest_violation("rk1", 1e-3, 2010.0) == 3.0, boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(a_start_at_the_bound_stays_inside_up_to_the_limit) {
  const Eigen::Vector2d y(0.0, -std::asin(0.5e-4));
  const auto largest = [&](double k) {
    SimulationOptions options = options_for("rk1", 1e-3, k);
    options.start = Start::as_given;
    return simulate(slider_crank().system, {0.0, y, {}}, options).report.max_position_violation;
  };
  BOOST_TEST(largest(1990.0) < 1e-4 * (1.0 + 1e-12));
  BOOST_TEST(largest(2000.0) == 1.0035e-4, boost::test_tools::tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(p7_the_printed_sign_drives_the_violation_to_its_bound) {
  for (const double k : {1.0, 5.0, 100.0}) {
    SimulationOptions options = options_for("rk1", 1e-3, 1.0);
    options.gains = {};
    options.t_end = 20.0;
    const auto wrong = simulate(make_program(AsPrinted{k}), slider_crank().start, options);
    BOOST_TEST(wrong.report.max_position_violation == 3.0, boost::test_tools::tolerance(0.01));
  }
  BOOST_TEST(largest_violation("rk1", 1e-3, 100.0) == 1.5e-5, boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(p8_stability_limits_measured_by_runs) {
  const std::map<std::string, double> limits = {{"rk1", 2.000}, {"rk2", 2.000}, {"rk3", 2.513}, {"rk4", 2.785}};
  const double step = 1e-3;
  for (const auto& [method, limit] : limits) {
    double stable = 1.0, unstable = 4.0;
    while (unstable - stable > 2e-3) {
      const double z = 0.5 * (stable + unstable);
      SimulationOptions options = options_for(method, step, z / step);
      options.t_end = 5.0;
      const Simulation run = simulate(slider_crank().system, slider_crank().start, options);
      const bool grew = !run.status.finished() || !(run.report.max_position_violation < 1e-2);
      (grew ? unstable : stable) = z;
    }
    BOOST_TEST(std::abs(0.5 * (stable + unstable) - limit) < 0.01,
               method << ": measured " << 0.5 * (stable + unstable) << ", limit " << limit);
  }
}

BOOST_AUTO_TEST_CASE(p8_every_method_has_its_order) {
  const auto exact = slider_crank().reference(2.0);
  for (int order = 1; order <= 4; ++order) {
    const auto error = [&](double step) {
      SimulationOptions options = options_for("rk" + std::to_string(order), step, 2.0);
      options.t_end = 2.0;
      const Simulation run = simulate(slider_crank().system, slider_crank().start, options);
      return (run.trajectory.q(run.trajectory.size() - 1) - exact->q).lpNorm<Eigen::Infinity>();
    };
    const double measured = std::log2(error(0.02) / error(0.01));
    BOOST_TEST(std::abs(measured - order) < 0.1, "rk" << order << ": order " << measured);
  }
}

// At fixed z = step k the violation falls as step^2 for every order: the remainder contains k^(p-1).
BOOST_AUTO_TEST_CASE(p9_violation_over_the_square_of_the_step) {
  const std::map<std::string, std::map<double, double>> published = {
      {"rk1", {{0.5, 3.0}, {1.0, 1.5}, {1.5, 1.0}, {1.9, 0.79}}},
      {"rk2", {{0.5, 1.0}, {1.0, 1.5}, {1.5, 3.0}, {1.9, 15.0}}},
      {"midpoint", {{0.5, 0.5}, {1.0, 0.75}, {1.5, 1.5}, {1.9, 7.5}}},
      {"rk3", {{0.5, 0.079}, {1.0, 0.19}, {1.5, 0.30}, {1.9, 0.36}, {2.5, 0.39}}},
      {"rk4", {{0.5, 0.0099}, {1.0, 0.050}, {1.5, 0.15}, {1.9, 0.31}, {2.5, 1.4}, {2.7, 5.1}}}};
  const double step = 1e-3;
  for (const auto& [method, values] : published) {
    for (const auto& [z, value] : values) {
      BOOST_TEST_CONTEXT(method << ", z = " << z) {
        const double f = largest_violation(method, step, z / step);
        BOOST_TEST(f / (step * step) == value, boost::test_tools::tolerance(0.04));  // two digits are published
        if (z == 1.0) {
          const double coarse = largest_violation(method, 10.0 * step, z / (10.0 * step));
          BOOST_TEST(coarse / f == 100.0, boost::test_tools::tolerance(0.05));
        }
      }
    }
  }
}
