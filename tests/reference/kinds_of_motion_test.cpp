// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "kinds/judged_runs.hpp"

/// Random mechanisms of many kinds, by default options, against motions from own formulas.
using namespace sunlagrange;
using namespace sunlagrange::test::kinds;

namespace {

/// Judges three runs of a kind with index3, which have to be right.
Counts index3_at_a_tight_tolerance(const std::string& name) {
  const std::vector<Kind> kinds = kinds_of_motion();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.name == name; });
  BOOST_REQUIRE(kind != kinds.end());
  const Counts counts = judged_runs(*kind, seeds(3, 71000), "index3", 1e-8);
  for (const std::string& finding : counts.findings) BOOST_TEST_MESSAGE("  " + finding);
  BOOST_TEST(counts.runs == 3);
  BOOST_TEST(counts.right == counts.runs, name);
  return counts;
}

}  // namespace

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

/// A motion that the constraints prescribe arrives where they say, however well its work is known.
BOOST_AUTO_TEST_CASE(prescribed_motions_are_not_doubted_for_their_energy) {
  int kinds = 0;
  for (const Kind& kind : kinds_of_motion()) {
    const std::string name = kind.name;
    if (name != "driven slider-crank" && name != "driven arms" && name != "prescribed rate") continue;
    ++kinds;
    const Counts counts = judged_runs(kind, seeds(21, 1024), SimulationOptions{}.formulation, 1e-6);
    BOOST_TEST(counts.right == 21, name);
    BOOST_TEST(counts.right_but_doubted == 0, name);
  }
  BOOST_TEST(kinds == 3);
}

/// Where bars of four lengths fold exactly, both branches are smooth, and a motion goes straight on, whatever the
/// rounding of the lengths.
BOOST_AUTO_TEST_CASE(exactly_folding_linkages_go_straight_on) {
  for (const Kind& kind : kinds_of_motion()) {
    if (std::string(kind.name) != "exactly folding four-bar") continue;
    const Counts counts = judged_runs(kind, seeds(10), SimulationOptions{}.formulation, 1e-6);
    BOOST_TEST(counts.right == 10);
    BOOST_TEST(counts.right_but_doubted == 0);
    return;
  }
  BOOST_ERROR("there is no such kind");
}

/// Beside a narrow gap between two branches a motion turns, and a run goes on, on whichever branch.
BOOST_AUTO_TEST_CASE(runs_do_not_stop_beside_narrow_gaps) {
  int kinds = 0;
  for (const Kind& kind : four_bars()) {
    const Counts counts = judged_runs(kind, seeds(15, 1000), SimulationOptions{}.formulation, 1e-6);
    for (const std::string& finding : counts.findings) BOOST_TEST_MESSAGE("  " + finding);
    BOOST_TEST(counts.stopped == 0, kind.name);
    BOOST_TEST(counts.right >= 10, kind.name);
    BOOST_TEST(counts.right_but_doubted == 0, kind.name);
    ++kinds;
  }
  BOOST_TEST(kinds == 4);
}

/// Pulses that are short beside the run are met, and the work that they do is known: behind the times that they state,
/// no older state tells the power. Over many swings an error of the energy counts by what it makes the motion late.
BOOST_AUTO_TEST_CASE(energy_of_pulses_and_of_long_swings_is_not_doubted_without_cause) {
  int kinds = 0;
  for (const Kind& kind : kinds_of_motion()) {
    const std::string name = kind.name;
    const bool swings = name == "pendulum over 1000 periods";
    if (name != "periodic pulses of force" && name != "pulse of motion" && !swings) continue;
    ++kinds;
    const Counts counts =
        judged_runs(kind, swings ? seeds(5, 1003) : seeds(20, 1000), SimulationOptions{}.formulation, 1e-6);
    for (const std::string& finding : counts.findings) BOOST_TEST_MESSAGE("  " + finding);
    BOOST_TEST(counts.right == counts.runs, name);
    BOOST_TEST(counts.right_but_doubted == 0, name);
  }
  BOOST_TEST(kinds == 3);
}

/// What slides to and fro yields to and fro where it sticks.
BOOST_AUTO_TEST_CASE(friction_that_follows_its_smoothed_law_is_not_doubted) {
  int kinds = 0;
  for (const Kind& kind : kinds_of_motion()) {
    if (std::string(kind.name) != "smooth dry friction") continue;
    ++kinds;
    const Counts counts = judged_runs(kind, seeds(70, 10000), SimulationOptions{}.formulation, 1e-6);
    for (const std::string& finding : counts.findings) BOOST_TEST_MESSAGE("  " + finding);
    BOOST_TEST(counts.right == 70);
    BOOST_TEST(counts.right_but_doubted == 0);
  }
  BOOST_TEST(kinds == 1);
}

/// Springs that begin where a step evaluates no force, unseen by its error test.
BOOST_AUTO_TEST_CASE(contacts_that_a_step_did_not_see_are_doubted) {
  int runs = 0;
  for (const Kind& kind : kinds_of_motion()) {
    const std::string name = kind.name;
    const std::uint64_t seed = name == "elastic floor" ? 10023 : name == "springs beyond a gap" ? 10064 : 0;
    if (seed == 0) continue;
    ++runs;
    const Counts counts = judged_runs(kind, seeds(1, seed), SimulationOptions{}.formulation, 1e-6);
    BOOST_TEST(counts.wrong_without_doubt == 0, name);
  }
  BOOST_TEST(runs == 2);
}

/// Whatever disturbances of the allowed size do to a motion counts as right, also where the motion turns back at its
/// end.
BOOST_AUTO_TEST_CASE(disturbances_of_the_allowed_size_are_right) {
  constexpr double tolerance = 1e-6, allowed = 1e-3;
  for (const Kind& kind : long_runs()) {
    if (std::string(kind.name) != "pendulum over 1000 periods") continue;
    for (const std::uint64_t seed : {10154U, 10140U, 10008U, 10061U, 10057U}) {
      const Motion motion = drawn_motion(kind, seed);
      State disturbed = motion.reduced;
      disturbed[0] += allowed * (1 + std::abs(disturbed[0]));
      const Eigen::VectorXd end = motion.positions(motion.follow(disturbed, 0, motion.t_end), motion.t_end);
      BOOST_TEST(motion.distance(end, motion.end()) <= allowed * motion.amplification(tolerance, allowed), seed);
    }
    return;
  }
  BOOST_ERROR("there is no such kind");
}

/// Where two branches are a gap apart that is smaller than what a run violates, the run may take the wrong one. Soft
/// rows violate the lengths at every pose, and at rough tolerances other forms do between their steps: each such run
/// says so.
BOOST_AUTO_TEST_CASE(wrong_branches_of_soft_and_rough_forms_are_doubted) {
  struct Runs {
    const char* kind;
    const char* formulation;
    double tolerance;
    std::uint64_t first;
  };
  Counts all;
  for (const Runs& runs :
       {Runs{"kite", "penalty", 1e-6, 30001}, Runs{"folding four-bar", "penalty", 1e-4, 30001},
        Runs{"folding slider-crank", "penalty", 1e-6, 20002},
        Runs{"parallelogram", "coordinate_partitioning", 1e-4, 30001},
        Runs{"parallelogram", "coordinate_partitioning", 1e-4, 31000}, Runs{"parallelogram", "index3", 1e-4, 31000}}) {
    for (const Kind& kind : kinds_of_motion()) {
      if (std::string(kind.name) != runs.kind) continue;
      const Counts counts = judged_runs(kind, seeds(3, runs.first), runs.formulation, runs.tolerance);
      for (const std::string& finding : counts.findings) BOOST_TEST_MESSAGE("  " + finding);
      BOOST_TEST(counts.wrong_without_doubt == 0, runs.kind << ", " << runs.formulation << ", " << runs.tolerance);
      all += counts;
    }
  }
  BOOST_TEST(all.runs == 18);
  BOOST_TEST(all.right + all.stopped < all.runs);  // some are wrong, and are seen
  BOOST_TEST(all.right_but_doubted == 0);
}

/// IDA takes v of index3 for a difference quotient of q. Its errors add up over turns and periods, and where parts are
/// light, unless errors of q are small beside the step.
BOOST_AUTO_TEST_CASE(velocities_of_index3_are_as_accurate_as_the_motion_needs_them) {
  for (const char* kind : {"four-bar with a light bar", "bob on a light cart", "balanced wheel",
                           "periodic pulses of force", "pendulum over many periods"})
    BOOST_TEST(index3_at_a_tight_tolerance(kind).right_but_doubted == 0, kind);
}

/// Fast parts make the first steps of index3 so short that errors of q are near its rounding.
BOOST_AUTO_TEST_CASE(index3_starts_with_steps_near_rounding) {
  for (const char* kind :
       {"stick and slip by events", "rack without mass", "motor", "hydraulic press", "light point on a heavy one"})
    index3_at_a_tight_tolerance(kind);
}
