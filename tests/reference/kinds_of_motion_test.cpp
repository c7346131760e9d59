// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <string>

#include "kinds/judged_runs.hpp"

/// Random mechanisms of many kinds, by default options, against motions from own formulas.
using namespace sunlagrange;
using namespace sunlagrange::test::kinds;

/// A run that is wrong says so.
BOOST_AUTO_TEST_CASE(no_run_is_wrong_without_a_doubt) {
  Counts all;
  for (const Kind& kind : kinds_of_motion()) {
    if (kind.slow) continue;
    const Counts counts = judged_runs(kind, seeds(7), SimulationOptions{}.formulation, 1e-6);
    BOOST_TEST_MESSAGE(summary(kind.name, SimulationOptions{}.formulation, 1e-6, counts));
    for (const std::string& finding : counts.findings) BOOST_TEST_MESSAGE("  " + finding);
    if (kind.open == nullptr) BOOST_TEST(counts.wrong_without_doubt == 0, kind.name);
    all += counts;
  }
  BOOST_TEST_MESSAGE(summary("all kinds", SimulationOptions{}.formulation, 1e-6, all));
  BOOST_TEST(all.runs >= 200);
}
