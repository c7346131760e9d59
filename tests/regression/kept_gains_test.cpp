// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <sunlagrange/sunlagrange.hpp>

#include "mechanisms/mechanism.hpp"
#include "simulation/options.hpp"

/// Automatic gains of the segments of a run: kept where a singular pose is crossed, chosen anew and reported where an
/// event changes the motion.
using namespace sunlagrange;

BOOST_AUTO_TEST_CASE(gains_are_kept_where_a_singular_pose_is_crossed) {
  const auto arm = mechanisms::find_mechanism("two_link").make(0);
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.integrator = "dopri5";
  options.rtol = options.atol = 1e-9;
  options.t_end = 2.8;
  const Simulation filtered = simulate(arm.system, arm.start, options);
  options.at_singularity = AtSingularity::project;
  const Simulation crossed = simulate(arm.system, arm.start, options);
  BOOST_REQUIRE_MESSAGE(crossed.report.t_reached == 2.8, crossed.status.message);
  BOOST_TEST(crossed.report.used.has_segments);
  BOOST_TEST(crossed.report.used.later_gains.empty());
  BOOST_TEST(crossed.report.steps < 2 * filtered.report.steps);
}

BOOST_AUTO_TEST_CASE(gains_that_an_event_changes_are_reported) {
  const auto chain = mechanisms::find_mechanism("chain").make(3);
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.integrator = "dopri5";
  options.t_end = 0.6;
  Event release;
  release.name = "release";
  release.root = [](const EventPoint& point) { return point.t() - 0.3; };
  release.crossing = Crossing::rising;
  release.action = [](EventContext& context) { context.deactivate("pin 3"); };
  options.events = {release};
  const Simulation run = simulate(chain.system, chain.start, options);
  BOOST_REQUIRE_MESSAGE(run.status.finished(), run.status.message);
  const std::vector<SegmentGains>& later = run.report.used.later_gains;
  BOOST_REQUIRE(later.size() == 1U);
  BOOST_TEST(std::abs(later[0].t - 0.3) < 1e-9);
  BOOST_REQUIRE((later[0].K_P && run.report.used.K_P));
  BOOST_TEST(later[0].K_P->used.size() == run.report.used.K_P->used.size() - 2);  // the rows of the pin are gone
  bool printed = false;
  for (const Setting& line : run.report.used.lines()) printed = printed || line.name.rfind("gains from t = ", 0) == 0;
  BOOST_TEST(printed);
}

BOOST_AUTO_TEST_CASE(gains_in_use_give_the_same_run) {
  const auto arm = mechanisms::find_mechanism("two_link").make(0);
  SimulationOptions options;
  options.formulation = "baumgarte";
  options.integrator = "dopri5";
  options.t_end = 0.4;
  const Simulation first = simulate(arm.system, arm.start, options);
  options.gains = internal::gains_in_use(first.report.used);
  BOOST_TEST(!options.gains.K_D.automatic());
  const Simulation again = simulate(arm.system, arm.start, options);
  BOOST_TEST(again.report.steps == first.report.steps);
  const std::size_t last = first.trajectory.size() - 1;
  BOOST_TEST((again.trajectory.q(last) - first.trajectory.q(last)).norm() == 0.0);
}
