// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "models.hpp"
#include "simulation/checks/check.hpp"

/// Runs in which more steps failed than were accepted are doubted. Such runs depend on the controller of the
/// integrator, so that the counts of a run are replaced here.
using namespace sunlagrange;
using namespace sunlagrange::internal;
using Eigen::Vector2d;

namespace {

/// Returns the value of the doubt about failed steps; 0: there is none.
double doubt_of(const char* integrator, long steps, long failed_iterations, long failed_error_tests) {
  const auto system = make_system(test::Pendulum{});
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.integrator = integrator;
  Simulation run = simulate(system, {0.0, Vector2d(1.0, 0.0), Vector2d::Zero()}, options);
  BOOST_REQUIRE_MESSAGE(run.status.has_no_doubts(), run.status.message);
  run.report.steps = steps;
  run.report.nonlinear_failures = failed_iterations;
  run.report.error_test_failures = failed_error_tests;
  SampledPath path(system, options.linear_solver, true);
  ObservedRun observed{path, options, run.report};
  const CheckList checks = make_checks(observed);
  const ExpectedAccuracy expected(*system, run.report, options);
  Doubts doubts;
  checks.for_each([&](const Check& check) { check.judge(expected, doubts); });
  for (const Doubt& doubt : doubts.list) {
    if (doubt.kind == DoubtKind::failed_steps) return doubt.value;
  }
  return 0.0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(more_failed_than_accepted_steps_are_doubted) {
  for (const char* integrator : {"cvode_bdf", "dopri5"}) {
    BOOST_TEST(doubt_of(integrator, 100, 50, 50) == 0.0);
    BOOST_TEST(doubt_of(integrator, 100, 51, 50) == 1.01, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(doubt_of(integrator, 100, 0, 300) == 3.0, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(doubt_of(integrator, 5, 20, 0) == 0.0);  // a short run may fail more often than it steps
    BOOST_TEST(doubt_of(integrator, 0, 0, 21) == 21.0, boost::test_tools::tolerance(1e-12));
  }
}

/// The iterations of radau fail at the ends of long steps, which says nothing about the steps that were accepted.
BOOST_AUTO_TEST_CASE(iterations_of_radau_do_not_count) {
  BOOST_TEST(doubt_of("radau", 100, 300, 100) == 0.0);
  BOOST_TEST(doubt_of("radau", 100, 0, 101) == 1.01, boost::test_tools::tolerance(1e-12));
}
