// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <string>

#include "kinds/judged_runs.hpp"

/// More mechanisms of each kind, and the other formulations and tolerances. Chosen ones:
///
///     test_reference_kinds_of_motion_slow --run_test=chosen_runs --log_level=message -- KIND FIRST COUNT FORM RTOL
///
/// KIND is a name of the list or "all", FIRST the first of COUNT seeds, FORM a formulation.
using namespace sunlagrange;
using namespace sunlagrange::test::kinds;

namespace {

/// Judges `count` seeds from `first` on of each kind, of all if the name is "all".
Counts checked(const std::string& name, std::uint64_t first, int count, const std::string& formulation, double rtol) {
  Counts all;
  for (const Kind& kind : kinds_of_motion()) {
    if (name != "all" && name != kind.name) continue;
    const Counts counts = judged_runs(kind, seeds(count, first), formulation, rtol);
    BOOST_TEST_MESSAGE(summary(kind.name, formulation, rtol, counts));
    for (const std::string& finding : counts.findings) BOOST_TEST_MESSAGE("  " + finding);
    if (kind.open == nullptr)
      BOOST_TEST(counts.wrong_without_doubt == 0, kind.name << ", " << formulation << ", " << rtol);
    all += counts;
  }
  BOOST_TEST_MESSAGE(summary("all kinds", formulation, rtol, all));
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_default_run_is_wrong_without_a_doubt) {
  BOOST_TEST(checked("all", 1000, 70, SimulationOptions{}.formulation, 1e-6).runs >= 2000);
}

BOOST_AUTO_TEST_CASE(no_run_of_any_formulation_is_wrong_without_a_doubt) {
  for (const char* formulation : {"automatic", "baumgarte", "projected", "ggl"}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8}) BOOST_TEST(checked("all", 2000, 15, formulation, rtol).right > 0);
  }
}

BOOST_AUTO_TEST_CASE(chosen_runs) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  if (suite.argc < 6) return;
  checked(suite.argv[1], std::stoul(suite.argv[2]), std::stoi(suite.argv[3]), suite.argv[4], std::stod(suite.argv[5]));
}
