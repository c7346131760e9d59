// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include <sunlagrange/analysis/described_results.hpp>
#include <sunlagrange/stability/certificate.hpp>

#include "files/figures_json.hpp"

/// Every figure that a result describes reaches JSON, the lookup by name behind the C interface, and files.
using namespace sunlagrange;
using Json = nlohmann::ordered_json;

namespace {

template <class Result>
void add_entries(Result&) {}

/// The figures of these follow from lists, which are filled here.
void add_entries(RedundancyReport& report) {
  report.dependent.resize(1);
  report.dependent[0].relation.resize(1);
}
void add_entries(Kinematics& found) {
  found.branches[0].dead_point.resize(1);
}
void add_entries(DriveForces& found) {
  found.states.resize(1);
  found.drives.resize(1);
  found.regularity.resize(1);
}
void add_entries(Simulation& run) {
  RunFacts& used = run.report.used;
  used.formulation = {"automatic", "baumgarte"};
  used.step.reset();
  used.natural_scales = {{1e5, {"p"}}};
  used.sources = {{"G", "dual numbers"}};
  used.unread = {{"step", "0.1"}};
  used.asked_gains = {Gain(2.0), Gain(1.0), Gain(1.0), Gain(10.0)};
  for (auto* gain : {&used.K_D, &used.K_P, &used.K_N, &used.Lambda}) (*gain)->used = GainMatrix::scalar(1, 2.0);
}

/// A result with one entry in every list and a value in every optional figure.
template <class Result>
Result filled() {
  Result result;
  FigureList fill;
  result.describe(fill);
  add_entries(result);
  return result;
}

/// Follows a name such as "rank_events[].t" into the document; null pointer: it leads nowhere.
const Json* found(const Json& document, const std::string& name) {
  const Json* at = &document;
  std::size_t begin = 0;
  while (begin < name.size()) {
    const std::size_t end = name.find_first_of(".[", begin);
    const std::string key = name.substr(begin, end - begin);
    if (!key.empty()) {
      if (!at->is_object() || !at->contains(key)) return nullptr;
      at = &(*at)[key];
    }
    if (end == std::string::npos) break;
    if (name[end] == '[') {
      if (!at->is_array() || at->empty()) return nullptr;
      at = &(*at)[0];
      begin = end + 2;
    } else {
      begin = end + 1;
    }
  }
  return at;
}

std::string with_index(std::string name) {
  for (std::size_t at = name.find("[]"); at != std::string::npos; at = name.find("[]")) name.replace(at, 2, "[0]");
  return name;
}

bool is_number(const std::string& kind) {
  return kind == "number" || kind == "integer" || kind == "true or false";
}

template <class Result>
void check_json(const char* type) {
  const Result result = filled<Result>();
  const std::vector<FigureInfo> figures = figures_of<Result>();
  BOOST_TEST(figures.size() >= 3U, type);
  const Json document = Json::parse(figures_json(result));
  std::set<std::string> names;
  for (const FigureInfo& figure : figures) {
    BOOST_TEST((found(document, figure.name) != nullptr), type << ": " << figure.name << " is not in the JSON");
    BOOST_TEST(names.insert(figure.name).second, type << ": " << figure.name << " stands there twice");
    BOOST_TEST(!figure.meaning.empty(), type << ": " << figure.name << " has no meaning");
    const Json* value = found(document, figure.name);
    if (is_number(figure.kind) && value != nullptr && !value->is_null() && !value->is_array())
      BOOST_TEST(number_by_name(result, with_index(figure.name)).has_value(), type << ": " << figure.name);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_figure_reaches_json_and_has_a_name_of_its_own) {
  for_each_result([](auto type, const char* name, const char*) { check_json<typename decltype(type)::Result>(name); });
  check_json<Certificate>("Certificate");
}

BOOST_AUTO_TEST_CASE(numbers_are_found_by_their_names) {
  Report report;
  report.steps = 12;
  report.energy_drift = 0.25;
  report.start.rank = 3;
  report.start.position_moves = Eigen::Vector2d(1.0, 2.0);
  report.rank_events.resize(2);
  report.rank_events[1].t = 1.5;
  BOOST_TEST(number_by_name(report, "steps").value() == 12.0);
  BOOST_TEST(number_by_name(report, "energy_drift").value() == 0.25);
  BOOST_TEST(number_by_name(report, "start.rank").value() == 3.0);
  BOOST_TEST(number_by_name(report, "start.feasible").value() == 1.0);
  BOOST_TEST(number_by_name(report, "start.position_moves[1]").value() == 2.0);
  BOOST_TEST(number_by_name(report, "rank_events[1].t").value() == 1.5);
  BOOST_TEST(!number_by_name(report, "rank_events[2].t").has_value());
  BOOST_TEST(!number_by_name(report, "formulation").has_value());
  StateSpace small;
  small.A = Eigen::Matrix2d{{1.0, 2.0}, {3.0, 4.0}};
  BOOST_TEST(number_by_name(small, "A[1][0]").value() == 3.0);
  Modes modes;
  modes.modes.resize(1);
  modes.modes[0].eigenvalue = {-1.0, 2.0};
  BOOST_TEST(number_by_name(modes, "modes[0].eigenvalue[1]").value() == 2.0);
}

BOOST_AUTO_TEST_CASE(files_give_back_what_was_written) {
  Report report;
  report.steps = 7;
  report.energy_drift = 0.1;
  report.error_growth = Report::none;
  ConsistencyReport start;
  start.most_moved = "arm.phi";
  start.position_moves = Eigen::Vector2d(1.0 / 3.0, -2.0);
  start.status = {Outcome::infeasible, "no start", {{DoubtKind::energy_balance, 2.0, 1.0, "a doubt"}}};
  const internal::Json written = internal::written(start);
  internal::Json document = {{"start", written}};
  const internal::Document text(document.dump(), "test");
  internal::Fields top(text, text.root(), {}, "test");
  ConsistencyReport read;
  internal::read_object(top, "start", [&](Figures& f) { read.describe(f); });
  BOOST_TEST(read.most_moved == start.most_moved);
  BOOST_TEST((read.position_moves.array() == start.position_moves.array()).all());
  BOOST_TEST((read.status.outcome == Outcome::infeasible && read.status.doubts.size() == 1U));
  BOOST_TEST(read.status.doubts[0].text == "a doubt");
  BOOST_TEST(internal::written(read).dump() == written.dump());
}

BOOST_AUTO_TEST_CASE(names_of_enumerators_are_read_back) {
  for (std::size_t k = 0; k < names_of(Outcome{}).size(); ++k) {
    const auto outcome = static_cast<Outcome>(k);
    BOOST_TEST((enum_named<Outcome>(to_string(outcome)) == outcome));
  }
  BOOST_TEST(!enum_named<Outcome>("no outcome").has_value());
  BOOST_TEST(std::string(to_string(Outcome::out_of_memory)) == "out_of_memory");
}
