// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "runs.hpp"

/// 1000 s = 422 periods of the pendulum against tables of an independent computation, and what too large gains cost.
using namespace sunlagrange;
using mechanisms::find_mechanism;

namespace {

struct Row {
  const char* formulation;
  double tolerance;
  double steps, energy;        // published: accepted steps, largest energy error [J]
  double g;                    // published: largest |g| [m^2]
  bool lambda_tested = false;  // published with lambda in the error test: more steps, smaller errors
};

Simulation run_for(double t_end, const std::string& formulation, const std::string& integrator, double tolerance,
                   double gamma) {
  const auto pendulum = find_mechanism("pendulum").make(0);
  SimulationOptions options = test::options_of(pendulum, formulation, integrator, tolerance);
  options.t_end = t_end;
  options.gains = Gains::critically_damped({gamma});
  options.record = Record::ends_only;
  options.stop_when_infeasible = false;
  Simulation run = simulate(pendulum.system, pendulum.start, options);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  return run;
}

double end_error(const Simulation& run) {
  return test::end_error(find_mechanism("pendulum").make(0), run);
}

}  // namespace

BOOST_AUTO_TEST_CASE(p30_1000_s_against_the_published_table) {
  // Step histories are chaotic: steps within a factor of three, drift within ten.
  const Row rows[] = {{"index3", 1e-6, 64019, 1.5e-1, 3.2e-7},        {"index3", 1e-8, 123265, 3.6e-3, 5.6e-8},
                      {"index3", 1e-10, 301998, 2.1e-4, 4.0e-10},     {"index2", 1e-8, 212038, 2.7e-4, 7.8e-6},
                      {"ggl", 1e-6, 106379, 1.2e-2, 5.5e-6},          {"ggl", 1e-8, 206964, 1.1e-4, 4.6e-8},
                      {"ggl", 1e-10, 403653, 2.6e-6, 2.9e-10},        {"index1", 1e-6, 140160, 2.5e-2, 5.2e-6, true},
                      {"index1", 1e-8, 244111, 5.4e-5, 6.1e-8, true}, {"index1", 1e-10, 474200, 4.1e-6, 1.4e-9, true},
                      {"baumgarte", 1e-6, 62005, 0.10, 1.7e-5},       {"baumgarte", 1e-8, 124359, 1.7e-3, 3.3e-7},
                      {"baumgarte", 1e-10, 271257, 5.6e-5, 4.5e-9},   {"projected", 1e-6, 56884, 0.12, 7e-16},
                      {"projected", 1e-8, 119516, 4.1e-3, 7e-16},     {"projected", 1e-10, 251628, 1.1e-4, 7e-16}};
  for (const Row& row : rows) {
    BOOST_TEST_CONTEXT(row.formulation << ", " << row.tolerance) {
      const Simulation run = run_for(1000.0, row.formulation, "automatic", row.tolerance, 5.0);
      const auto steps = static_cast<double>(run.report.steps);
      BOOST_TEST_MESSAGE(row.formulation << ", " << row.tolerance << ": " << steps << " steps, energy "
                                         << run.report.energy_drift << ", |g| " << run.report.max_position_violation);
      BOOST_TEST(steps < 3.0 * row.steps);
      BOOST_TEST(steps > row.steps / 3.0);
      // of order five: compared at equal work
      const double work = row.lambda_tested ? std::pow(row.steps / steps, 5.0) : 1.0;
      BOOST_TEST(run.report.energy_drift < 10.0 * work * row.energy);
      BOOST_TEST(run.report.max_position_violation < 10.0 * row.g);
    }
  }
}

BOOST_AUTO_TEST_CASE(p30_without_stabilisation_the_rod_grows) {
  const double published[] = {16.0, 0.29, 1.6e-3};
  const double tolerances[] = {1e-6, 1e-8, 1e-10};
  double before = 1e300;
  for (int k = 0; k < 3; ++k) {
    const Simulation run = run_for(1000.0, "unstabilized", "cvode_bdf", tolerances[k], 0.0);
    BOOST_TEST(run.report.energy_drift < 10.0 * published[k]);
    BOOST_TEST(run.report.energy_drift > 0.1 * published[k]);
    BOOST_TEST(run.report.max_position_violation > 1e5 * tolerances[k]);
    BOOST_TEST(run.report.max_position_violation < before);
    before = run.report.max_position_violation;
  }
}

BOOST_AUTO_TEST_CASE(p19_too_large_gains_cost_steps_and_accuracy) {
  const Simulation one = run_for(100.0, "baumgarte", "dopri5", 1e-6, 1.0);
  const Simulation twenty = run_for(100.0, "baumgarte", "dopri5", 1e-6, 20.0);
  BOOST_TEST_MESSAGE("dopri5: " << one.report.steps << " steps with gamma = 1, " << twenty.report.steps << " with 20");
  BOOST_TEST(twenty.report.steps >= 3 * one.report.steps);
  BOOST_TEST(one.report.max_position_violation < 1e-4);  // one is enough
  const Simulation stiff = run_for(100.0, "baumgarte", "cvode_bdf", 1e-6, 1000.0);
  const Simulation gentle = run_for(100.0, "baumgarte", "cvode_bdf", 1e-6, 1.0);
  BOOST_TEST_MESSAGE("cvode_bdf: errors " << end_error(gentle) << " with gamma = 1, " << end_error(stiff)
                                          << " with 1000");
  BOOST_TEST(end_error(stiff) > 0.5);
  BOOST_TEST(stiff.report.steps > 3 * gentle.report.steps);
  // The automatic gain is of the gentle kind.
  const auto pendulum = find_mechanism("pendulum").make(0);
  SimulationOptions automatic = test::options_of(pendulum, "baumgarte", "dopri5", 1e-6);
  automatic.t_end = 100.0;
  const Simulation chosen = simulate(pendulum.system, pendulum.start, automatic);
  BOOST_REQUIRE(chosen.status.finished());
  BOOST_TEST(static_cast<double>(chosen.report.steps) < 1.25 * static_cast<double>(one.report.steps));
}
