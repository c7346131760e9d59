// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>

#include "runs.hpp"

/// Adaptive integrators: the error falls with the tolerance, for every formulation whose limit is the exact motion.
/// (index3 is finished rather than accurate: a factor of 1e-6 in the tolerance is worth at least 1e-2 in the error.)
using namespace sunlagrange;
using mechanisms::find_mechanism;
using test::options_of;

BOOST_AUTO_TEST_CASE(errors_fall_with_the_tolerance) {
  const struct {
    const char *formulation, *integrator;
  } routes[] = {{"baumgarte", "cvode_bdf"},    {"baumgarte", "cvode_adams"}, {"baumgarte", "dopri5"},
                {"baumgarte", "verner6"},      {"baumgarte", "verner8"},     {"baumgarte", "fehlberg8"},
                {"unstabilized", "cvode_bdf"}, {"unstabilized", "dopri5"},   {"index3", "ida"}};
  const struct {
    const char* name;
    int size;
  } problems[] = {{"pendulum", 0}, {"n_four_bar", 2}, {"two_link", 0}};
  for (const auto& problem : problems) {
    auto mechanism = find_mechanism(problem.name).make(problem.size);
    mechanism.t_end = problem.name == std::string("pendulum") ? 3.0 : 0.4;
    mechanism.rank_policy = RankPolicy::minimum_norm;
    for (const auto& route : routes) {
      BOOST_TEST_CONTEXT(problem.name << ", " << route.formulation << ", " << route.integrator) {
        double errors[4];
        const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
        for (int k = 0; k < 4; ++k) {
          SimulationOptions options = options_of(mechanism, route.formulation, route.integrator, tolerances[k]);
          options.max_step = options.t_end;  // the tolerance alone decides on the steps
          const Simulation run = simulate(mechanism.system, mechanism.start, options);
          BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
          errors[k] = test::end_error(mechanism, run);
        }
        BOOST_TEST_MESSAGE(errors[0] << " " << errors[1] << " " << errors[2] << " " << errors[3]);
        if (errors[0] < 1e-12) continue;  // no degree of freedom: position level holds to rounding at any tolerance
        const bool index3 = route.formulation == std::string("index3");
        BOOST_TEST(errors[3] < (index3 ? 1e-2 : 1e-3) * errors[0]);
        BOOST_TEST(errors[2] < 0.1 * errors[0]);
        BOOST_TEST(errors[3] < (index3 ? 1.0 : 0.1) * errors[1]);
        BOOST_TEST(errors[3] < (index3 ? 1e-5 : 1e-7));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(baumgarte_holds_the_constraints_that_unstabilized_loses) {
  auto pendulum = find_mechanism("pendulum").make(0);
  pendulum.t_end = 20.0;
  double violation[2];
  for (const int k : {0, 1}) {
    const Simulation run = simulate(pendulum.system, pendulum.start,
                                    options_of(pendulum, k == 0 ? "baumgarte" : "unstabilized", "dopri5", 1e-6));
    BOOST_REQUIRE(run.status.finished());
    violation[k] = run.report.max_position_violation;
  }
  BOOST_TEST(violation[0] < 1e-4);
  BOOST_TEST(violation[1] > 100.0 * violation[0]);
}

/// With error control per step, a pair of orders p and p - 1 takes steps whose number grows like tolerance^(-1/p), not
/// faster. (Slower where the tolerance is too rough for the order, as with Fehlberg's.)
BOOST_AUTO_TEST_CASE(steps_of_embedded_pairs_grow_no_faster_than_their_order_says) {
  auto pendulum = find_mechanism("pendulum").make(0);
  pendulum.t_end = 3.0;
  const struct {
    const char* integrator;
    double order;
    double loose, tight;
  } pairs[] = {{"bogacki_shampine3", 3.0, 1e-5, 1e-8},
               {"dopri5", 5.0, 1e-7, 1e-11},
               {"verner6", 6.0, 1e-7, 1e-11},
               {"verner8", 8.0, 1e-9, 1e-12},
               {"fehlberg8", 8.0, 1e-9, 1e-12}};
  for (const auto& pair : pairs) {
    BOOST_TEST_CONTEXT(pair.integrator) {
      double steps[2];
      for (const int k : {0, 1}) {
        const Simulation run =
            simulate(pendulum.system, pendulum.start,
                     options_of(pendulum, "baumgarte", pair.integrator, k == 0 ? pair.loose : pair.tight));
        BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
        steps[k] = static_cast<double>(run.report.steps);
      }
      const double order = std::log(pair.loose / pair.tight) / std::log(steps[1] / steps[0]);
      BOOST_TEST_MESSAGE(pair.integrator << " " << steps[0] << " " << steps[1] << " order " << order);
      BOOST_TEST(order > pair.order - 0.3);
    }
  }
}
