// SPDX-License-Identifier: BSD-3-Clause
#include "kept_constraints.hpp"

/// No step or gain that is predicted as stable gives a run whose constraints are violated; longer runs of all
/// mechanisms with more gains are in kept_constraints_slow_test.cpp.
using namespace sunlagrange;
using namespace sunlagrange::test;

namespace {

/// Returns the length of a run [s] that takes a fraction of a second.
double short_run(const mechanisms::MechanismEntry& entry) {
  return entry.name == "bricard" || entry.name == "flyball_governor" ? 0.005 : 0.2;
}

}  // namespace

BOOST_AUTO_TEST_CASE(predicted_steps_keep_the_constraints_of_their_runs) {
  int predicted = 0;
  for (const char* name : {"pendulum", "chain", "arevalo", "extended_particle", "tethered_particle", "knife_edge",
                           "slider_crank_program"}) {
    predicted += check_law(mechanisms::find_mechanism(name), 1.0, {1.0 / 3.0, 1.0, 3.0});
  }
  BOOST_TEST(predicted > 60);
}

BOOST_AUTO_TEST_CASE(predicted_gains_keep_the_constraints_of_every_mechanism) {
  int predicted = 0;
  for (const mechanisms::MechanismEntry& entry : mechanisms::mechanism_registry()) {
    predicted += check_law_of_gains(entry, short_run(entry), 20);
  }
  BOOST_TEST(predicted > 60);
}

BOOST_AUTO_TEST_CASE(stiff_gains_keep_the_constraints_too) {
  int predicted = 0;
  for (const char* name : {"pendulum", "tethered_particle"}) {
    predicted += check_law(mechanisms::find_mechanism(name), 10.0, {10.0, 30.0});
  }
  BOOST_TEST(predicted > 12);
}

BOOST_AUTO_TEST_CASE(contraction_alone_does_not_keep_the_constraints) {
  // rk4 contracts the pendulum's constraint error up to about 0.36 s, where the run has left the constraints
  const LawCase c(mechanisms::find_mechanism("pendulum"), 10.0);
  const FixedStepPrediction prediction(c.system, {c.start.t, c.start.q, c.start.v}, c.options, rk4(), c.t_end);
  const Gains gains = c.gains(1.0);
  BOOST_TEST(dies_out(prediction.along_the_run(gains, 0.35, 28, 1.0)));
  BOOST_TEST(!prediction.keeps_constraints(gains, 0.35, 1.0));
  BOOST_TEST(violates(c.run(gains, rk4(), 0.35)));
}

BOOST_AUTO_TEST_CASE(predicted_violations_are_those_of_runs) {
  const LawCase c(mechanisms::find_mechanism("pendulum"), 10.0);
  for (const ButcherTable& table : methods_of_the_law()) {
    if (table.order < 2) continue;
    const FixedStepPrediction prediction(c.system, {c.start.t, c.start.q, c.start.v}, c.options, table, c.t_end);
    for (const double factor : {1.0, 30.0}) {
      const double step = factor == 1.0 ? 0.02 : 0.01;
      const double predicted = prediction.violation(c.gains(factor), step, 1.0);
      const Report observed_in = c.run(c.gains(factor), table, step).report;
      const double observed = std::max(observed_in.relative_violation, observed_in.relative_velocity_violation);
      BOOST_TEST(predicted == observed, boost::test_tools::tolerance(0.02));
    }
  }
}
