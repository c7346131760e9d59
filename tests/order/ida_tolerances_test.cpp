// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "tolerance_sweep.hpp"

/// The settings of the forms for IDA at a few tolerances; the sweep in quarter decades is ida_tolerances_slow.
using namespace sunlagrange;
using namespace sunlagrange::test;

BOOST_AUTO_TEST_CASE(errors_fall_from_each_tolerance_to_the_next) {
  // Every adaptive form whose limit is the motion itself. (index3 may leave its trend by a factor of ten to twenty.)
  const SweepProblem andrews("andrews");
  for (const FormulationEntry& form : formulation_registry()) {
    if (form.equations == Equations::one_step || form.for_programs || form.accuracy.altered_motion > 0.0) continue;
    BOOST_TEST_CONTEXT(form.name) {
      double before = 1e300;
      for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
        const SweepPoint point = andrews.run(std::string(form.name), "dense", tolerance);
        BOOST_REQUIRE_MESSAGE(point.finished, point.message);
        BOOST_TEST_MESSAGE(form.name << ", " << tolerance << ": " << point.error << ", " << point.steps << " steps");
        BOOST_TEST(point.error < before);
        before = point.error;
      }
      BOOST_TEST(before < 1e-5);
    }
  }
}

// The Newton matrix ages along the motion. Where an iteration ended before its error is small, that error would fail
// the error tests of later steps, which are smooth.
BOOST_AUTO_TEST_CASE(error_tests_of_a_smooth_motion_hardly_fail) {
  const auto pendulum = mechanisms::find_mechanism("pendulum").make(0);
  for (const char* formulation : {"ggl", "stabilized_index1", "index2"}) {
    SimulationOptions options = options_of(pendulum, formulation, "ida", 1e-8);
    options.t_end = 50.0;
    const Simulation run = simulate(pendulum.system, pendulum.start, options);
    BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
    BOOST_TEST_MESSAGE(formulation << ": " << run.report.error_test_failures << " of " << run.report.steps);
    BOOST_TEST(100 * run.report.error_test_failures < run.report.steps, formulation);
  }
}

BOOST_AUTO_TEST_CASE(p28_ggl_on_the_car_axis) {
  const auto car = mechanisms::find_mechanism("car_axis").make(0);
  const Simulation run = simulate(car.system, car.start, options_of(car, "ggl", "ida", 1e-8));
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  BOOST_TEST(end_error(car, run) < 1e-6);
  BOOST_TEST(run.report.steps < 3 * 2768);
}

BOOST_AUTO_TEST_CASE(p3_forms_with_the_constraints_themselves_cross_the_fold_on_the_smooth_branch) {
  // The two-link arm from its consistent start to just before the end of reach; at the fold two branches cross.
  const auto arm = mechanisms::find_mechanism("two_link").make(0);
  for (const char* formulation : {"index3", "ggl", "stabilized_index1"}) {
    for (const char* solver : {"dense", "klu", "block"}) {
      if (!linear_solver(solver).available) continue;
      for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        BOOST_TEST_CONTEXT(formulation << ", " << solver << ", " << tolerance) {
          SimulationOptions options = options_of(arm, formulation, "ida", tolerance);
          options.linear_solver.name = solver;
          options.t_end = 2.8;
          const Simulation run = simulate(arm.system, arm.start, options);
          BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
          for (const double t : {0.4, 0.6, 1.0, 2.0, 2.8}) {
            const Eigen::VectorXd error = run.trajectory.position_at(t) - arm.reference(t)->q;
            BOOST_TEST(error.lpNorm<Eigen::Infinity>() < 200.0 * tolerance, "t = " << t);
          }
          BOOST_TEST((run.trajectory.position_at(0.6) - Eigen::Vector2d(1.60832574, 3.05098553)).norm() <
                     200.0 * tolerance + 1e-7);
          BOOST_TEST(!run.report.rank_events.empty());
        }
      }
    }
  }
}
