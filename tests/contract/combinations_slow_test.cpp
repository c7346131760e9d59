// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "motion_laws.hpp"

/// The grid of combinations_test with every integrator, two sizes and three tolerances.
using namespace sunlagrange;
using namespace sunlagrange::test;

BOOST_AUTO_TEST_CASE(every_integrator_gives_the_same_motion) {
  for (const int size : {3, 5}) {
    const std::vector<Problem> list = problems(size);
    Closest closest;
    const Tally tally = for_each_combination(list, true, [&](const Combination& c) {
      if (c.fixed_step()) {
        check_fixed_step_motion(c, closest);
      } else {
        for (const double tolerance : {1e-4, 1e-6, 1e-8}) check_adaptive_motion(c, tolerance, closest);
      }
    });
    BOOST_TEST_MESSAGE("size " << size << ": " << tally.table());
    BOOST_TEST_MESSAGE("largest error: " << closest.share << " of the allowed one, by " << closest.who);
  }
}
