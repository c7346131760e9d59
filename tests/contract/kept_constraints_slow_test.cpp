// SPDX-License-Identifier: BSD-3-Clause
#include "kept_constraints.hpp"

/// The law of kept_constraints_test.cpp for every registered mechanism with gains.
using namespace sunlagrange;
using namespace sunlagrange::test;

BOOST_AUTO_TEST_CASE(predicted_steps_of_every_mechanism_keep_the_constraints_of_their_runs) {
  int predicted = 0;
  for (const mechanisms::MechanismEntry& entry : mechanisms::mechanism_registry()) {
    // spatial and stiff: a step of a second costs minutes
    const double longest = entry.name == "bricard" || entry.name == "flyball_governor" ? 0.05 : 1.0;
    predicted += check_law(entry, longest, {1.0 / 3.0, 1.0, 3.0, 30.0});
  }
  BOOST_TEST(predicted > 250);
}
