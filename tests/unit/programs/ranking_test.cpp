// SPDX-License-Identifier: BSD-3-Clause
/// Laws of the ranking at equal error, on runs whose work is a known function of their error.

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "ranking/cost_at_error.hpp"
#include "ranking/ranking.hpp"
#include "work_precision/fronts.hpp"

using namespace sunlagrange;
using namespace sunlagrange::program;

namespace {

const std::vector<double> errors = {1e-3, 1e-6};
const std::vector<double> run_errors = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};

/// Work = factor x scale / error^power, as long as the counts are integers of many digits.
struct Law {
  std::string formulation, integrator;
  double factor = 1.0, power = 0.25;
};

RunRecord run(const Law& law, double scale, double error) {
  RunRecord r;
  r.options.formulation = law.formulation;
  r.options.integrator = law.integrator;
  r.options.rtol = error;
  r.holds_constraints = true;
  r.error_vs_reference = error;
  r.simulation.report.rhs_evaluations = std::lround(1e9 * law.factor * scale * std::pow(error, -law.power));
  r.simulation.report.max_position_violation = 0.1 * error;
  r.cpu_seconds = 1e-3;
  return r;
}

RankedMechanism mechanism(const std::string& name, double scale, const std::vector<Law>& laws,
                          const std::string& kind = "kind") {
  RankedMechanism m{name, kind, {}};
  for (const Law& law : laws) {
    for (const double error : run_errors) m.records.push_back(run(law, scale, error));
  }
  return m;
}

std::vector<std::string> names(const std::vector<RankedFormulation>& list) {
  std::vector<std::string> found;
  for (const RankedFormulation& f : list) found.push_back(f.formulation);
  return found;
}

const RankedFormulation& of(const Ranking& r, std::string_view name) {
  const auto found = std::find_if(r.all.order.begin(), r.all.order.end(),
                                  [&](const RankedFormulation& f) { return f.formulation == name; });
  BOOST_REQUIRE(found != r.all.order.end());
  return *found;
}

const std::vector<Law> three = {{"slow", "a", 3.0}, {"good", "b", 2.0}, {"good", "a", 1.0}, {"fair", "b", 1.5}};

/// Ratios are rounded counts of nine digits.
const auto digits = boost::test_tools::tolerance(1e-7);

}  // namespace

BOOST_AUTO_TEST_CASE(power_laws_are_interpolated_exactly) {
  const Law law{"f", "i", 1.0, 0.3};
  const RankedMechanism m = mechanism("m", 1.0, {law});
  for (const double error : {3.3e-3, 1e-4, 7.7e-7}) {
    const std::vector<CostAtError> costs = costs_at(m.records, error, Among::certain);
    BOOST_REQUIRE(costs.size() == 1U);
    BOOST_TEST(costs[0].work == 1e9 * std::pow(error, -0.3), digits);
    BOOST_TEST(costs[0].violation == 0.1 * error, digits);
  }
  BOOST_TEST(costs_at(m.records, 1e-9, Among::certain).empty());  // no run is as accurate
  BOOST_TEST(costs_at(m.records, 1.0, Among::certain)[0].work == counted_work(m.records[0]));
}

BOOST_AUTO_TEST_CASE(known_ratios_are_found_with_the_best_integrator) {
  const Ranking r =
      ranking({mechanism("x", 1.0, three), mechanism("y", 70.0, three), mechanism("z", 0.1, three)}, errors);
  BOOST_TEST(names(r.all.order) == std::vector<std::string>({"good", "fair", "slow"}),
             boost::test_tools::per_element());
  for (std::size_t k = 0; k < errors.size(); ++k) {
    BOOST_TEST(of(r, "good").at[k].work == 1.0, digits);
    BOOST_TEST(of(r, "fair").at[k].work == 1.5, digits);
    BOOST_TEST(of(r, "slow").at[k].work == 3.0, digits);
    BOOST_TEST(of(r, "good").at[k].integrator == "a");
    BOOST_TEST(of(r, "good").at[k].best);
    BOOST_TEST(!of(r, "fair").at[k].best);
    BOOST_TEST(of(r, "slow").at[k].reached == 3);
    BOOST_TEST(of(r, "slow").at[k].violation == 0.1 * errors[k], digits);
  }
}

/// One mechanism on which a formulation is bad does not decide.
BOOST_AUTO_TEST_CASE(the_median_counts) {
  const std::vector<Law> other = {{"good", "a", 9.0}, {"fair", "a", 1.0}, {"slow", "a", 2.0}};
  const Ranking r =
      ranking({mechanism("x", 1.0, three), mechanism("y", 1.0, other), mechanism("z", 1.0, three)}, errors);
  BOOST_TEST(r.all.order.front().formulation == "good");
  BOOST_TEST(of(r, "good").at[0].work == 1.0, digits);
  BOOST_TEST(of(r, "fair").at[0].work == 1.5, digits);
}

BOOST_AUTO_TEST_CASE(the_order_of_mechanisms_and_formulations_does_not_count) {
  const std::vector<Law> other = {{"fair", "a", 1.0}, {"slow", "a", 2.5, 0.2}, {"good", "a", 1.2, 0.3}};
  std::vector<Law> turned = three;
  std::reverse(turned.begin(), turned.end());
  const Ranking a = ranking({mechanism("x", 1.0, three), mechanism("y", 5.0, other, "else")}, errors);
  const Ranking b = ranking({mechanism("y", 5.0, other, "else"), mechanism("x", 1.0, turned)}, errors);
  BOOST_TEST(names(a.all.order) == names(b.all.order), boost::test_tools::per_element());
  for (const RankedFormulation& f : a.all.order) {
    for (std::size_t k = 0; k < errors.size(); ++k) {
      BOOST_TEST(f.at[k].work == of(b, f.formulation).at[k].work);
      BOOST_TEST(f.at[k].best == of(b, f.formulation).at[k].best);
    }
  }
  BOOST_TEST(a.kinds.at(0).kind == "kind");
  BOOST_TEST(b.kinds.at(0).kind == "else");
  BOOST_TEST(names(a.kinds[0].order) == names(b.kinds[1].order), boost::test_tools::per_element());
}

/// Works that zigzag by a share d about a power law leave a known noise; ratios within it are equal.
BOOST_AUTO_TEST_CASE(ratios_within_the_noise_are_equal) {
  constexpr double d = 0.05, noise = (1.0 + d) / (1.0 - d) - 1.0;
  const auto zigzag = [](RankedMechanism m) {
    for (std::size_t k = 0; k < m.records.size(); ++k) {
      long& count = m.records[k].simulation.report.rhs_evaluations;
      count = std::lround(static_cast<double>(count) * (k % run_errors.size() % 2 == 0 ? 1.0 + d : 1.0 - d));
    }
    return m;
  };
  for (const auto& [factor, equal] : {std::pair(1.0 + 0.99 * noise, true), {1.0 + 1.01 * noise, false}}) {
    const std::vector<Law> laws = {{"first", "a", 1.0}, {"second", "a", factor}};
    const Ranking r = ranking({zigzag(mechanism("x", 1.0, laws)), zigzag(mechanism("y", 2.0, laws))}, errors);
    BOOST_TEST(r.noise == noise, digits);
    BOOST_TEST(of(r, "first").at[0].best);
    BOOST_TEST(of(r, "second").at[0].best == equal);
  }
  BOOST_TEST(ranking({mechanism("x", 1.0, three)}, errors).noise < 1e-7);  // a power law has none
}

BOOST_AUTO_TEST_CASE(times_do_not_rank) {
  std::vector<RankedMechanism> set = {mechanism("x", 1.0, three), mechanism("y", 2.0, three)};
  const Ranking before = ranking(set, errors);
  double seconds = 1.0;
  for (RankedMechanism& m : set) {
    for (RunRecord& r : m.records) r.cpu_seconds = seconds = std::fmod(7.0 * seconds + 0.3, 1.7) + 0.01;
  }
  const Ranking after = ranking(set, errors);
  BOOST_TEST(names(before.all.order) == names(after.all.order), boost::test_tools::per_element());
  for (const RankedFormulation& f : before.all.order) BOOST_TEST(f.at[0].work == of(after, f.formulation).at[0].work);
}

BOOST_AUTO_TEST_CASE(runs_that_failed_are_doubted_or_leave_the_constraints_do_not_count) {
  std::vector<Law> laws = three;
  laws.push_back({"best", "a", 0.5});
  for (int kind = 0; kind < 4; ++kind) {
    RankedMechanism m = mechanism("x", 1.0, laws);
    for (RunRecord& r : m.records) {
      if (r.options.formulation != "best") continue;
      if (kind == 0) r.simulation.status.outcome = Outcome::step_limit;
      if (kind == 1) r.simulation.status.doubts.emplace_back();
      if (kind == 2) r.holds_constraints = false;
      if (kind == 3) r.baseline = true;
    }
    const Ranking r = ranking({m, m, m}, errors);
    BOOST_TEST(r.all.order.front().formulation == "good", kind);
    BOOST_TEST(of(r, "good").at[0].work == 1.0, digits);
    if (kind < 3) BOOST_TEST(names(r.not_ranked) == std::vector<std::string>{"best"}, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_formulation_that_misses_an_error_on_most_mechanisms_comes_last) {
  RankedMechanism m = mechanism("x", 1.0, {{"good", "a", 1.0}, {"loose", "a", 0.5}});
  const auto accurate_loose = [](const RunRecord& r) {
    return r.options.formulation == "loose" && r.error_vs_reference < 1e-5;
  };
  m.records.erase(std::remove_if(m.records.begin(), m.records.end(), accurate_loose), m.records.end());
  const Ranking r = ranking({m}, errors);
  BOOST_TEST(names(r.all.order) == std::vector<std::string>({"good", "loose"}), boost::test_tools::per_element());
  BOOST_TEST(of(r, "loose").at[0].best);
  BOOST_TEST(of(r, "loose").at[1].work == Standing::missed);
  BOOST_TEST(of(r, "loose").at[1].reached == 0);
  BOOST_TEST(of(r, "good").at[0].work == 2.0, digits);
  BOOST_TEST(of(r, "good").at[1].work == 1.0, digits);
}

BOOST_AUTO_TEST_CASE(equal_runs_are_told_and_win_nothing) {
  std::vector<Law> laws = three;
  laws.push_back({"copy", "b", 2.0});
  laws.push_back({"copy", "a", 1.0});
  std::vector<RankedMechanism> set = {mechanism("x", 1.0, laws), mechanism("y", 3.0, laws)};
  const Ranking same = ranking(set, errors);
  BOOST_REQUIRE(same.same.size() == 1U);
  BOOST_TEST(same.same[0].formulation == "copy");
  BOOST_TEST(same.same[0].is == "good");
  BOOST_TEST(names(same.all.order) == std::vector<std::string>({"good", "fair", "slow"}),
             boost::test_tools::per_element());
  const std::vector<RunRecord>& records = set[0].records;
  const auto on_front = [&](const std::vector<SameRuns>& repeated) {
    std::vector<std::string> members;
    for (const std::size_t k : pareto_front(records, counted_work, Among::certain, repeated))
      members.push_back(records[k].options.formulation + " " + records[k].options.integrator);
    return members;
  };
  const std::vector<std::string> once = on_front(same_formulations(set));
  BOOST_TEST(once == std::vector<std::string>(run_errors.size(), "good a"), boost::test_tools::per_element());
  // a copy takes nothing from the front of the formulation for which it stands
  std::reverse(set[0].records.begin(), set[0].records.end());
  std::reverse(set[1].records.begin(), set[1].records.end());
  BOOST_TEST(on_front(same_formulations(set)) == std::vector<std::string>(run_errors.size(), "copy a"),
             boost::test_tools::per_element());
  std::reverse(set[0].records.begin(), set[0].records.end());
  std::reverse(set[1].records.begin(), set[1].records.end());
  ++set[1].records.back().simulation.report.steps;
  const Ranking different = ranking(set, errors);
  BOOST_TEST(different.same.empty());
  BOOST_TEST(of(different, "copy").at[0].best);
}

BOOST_AUTO_TEST_CASE(the_longest_step_binds_where_most_steps_are_as_long_as_allowed) {
  RunRecord r;
  Report& report = r.simulation.report;
  report.t_reached = 10.0;
  report.used.max_step = 0.1;  // at least 100 steps
  report.steps = 149;
  BOOST_TEST(longest_step_binds(r));
  report.steps = 151;
  BOOST_TEST(!longest_step_binds(r));
  report.steps = 100;
  report.used.max_step = 0.0;  // no limit
  BOOST_TEST(!longest_step_binds(r));
}
