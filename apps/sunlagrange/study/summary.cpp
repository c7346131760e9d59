// SPDX-License-Identifier: BSD-3-Clause
#include "study/summary.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/status.hpp>

#include "shared/command.hpp"
#include "shared/quantile.hpp"
#include "shared/table.hpp"

namespace sunlagrange::program {
namespace {

constexpr std::size_t most_shown = 12;  ///< number of rows that a table shows

/// Returns true if the run of the case reached its end.
bool has_end(const Json& line) {
  return line.at("status") == "finished" || line.at("status") == "uncertain_branch";
}

double number_in(const Json& value) {
  return value.is_number() ? value.get<double>() : Report::none;
}

std::string word_of(const Json& value, const char* digits = ".6g") {
  return value.is_string()   ? value.get<std::string>()
         : value.is_number() ? number(value.get<double>(), digits)
                             : value.dump();
}

/// Returns the values with as many digits as distinguish them.
std::vector<std::string> words_of(const std::vector<Json>& values) {
  std::vector<std::string> words;
  for (const char* digits : {".6g", ".10g", ".17g"}) {
    words.clear();
    for (const Json& value : values) words.push_back(word_of(value, digits));
    if (std::set<std::string>(words.begin(), words.end()).size() == words.size()) break;
  }
  return words;
}

/// Returns the line below a table that does not show all rows.
std::string rest_of(std::size_t rows) {
  return rows == 0 ? "" : "and " + std::to_string(rows) + " more: --json\n";
}

/// Returns the message without its numbers: messages that differ in their numbers alone have one cause.
std::string without_numbers(const std::string& message) {
  std::string words;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const auto digit = [&](std::size_t k) {
      return k < message.size() && std::isdigit(static_cast<unsigned char>(message[k])) != 0;
    };
    if (!digit(i)) {
      words += message[i];
      continue;
    }
    while (digit(i + 1) || (i + 1 < message.size() && std::string(".e+-").find(message[i + 1]) != std::string::npos &&
                            (digit(i + 2) || digit(i + 3))))
      ++i;
    words += '#';
  }
  return words;
}

std::string values_of(const Json& line) {
  std::vector<std::string> words;
  for (const auto& value : line.at("values").items()) words.push_back(value.key() + " " + word_of(value.value()));
  return joined(words);
}

}  // namespace

StudySummary::StudySummary(const Json& heading, const std::map<std::uint64_t, Json>& cases, std::uint64_t requested,
                           std::vector<std::string> observed)
    : heading_(std::make_shared<const Json>(heading)), cases_(cases), requested_(requested) {
  int i = 0;
  std::vector<std::string> names;
  for (const Json& coordinate : heading_->at("coordinates")) {
    const auto name = coordinate.get<std::string>();
    add_quantity(name, name, "q_end", i);
    add_quantity("v(" + name + ")", "v(" + name + ")", "v_end", i++);
  }
  for (const Json& words : heading_->value("observe", Json::array()))
    add_quantity(words.get<std::string>(), words.get<std::string>(), "observed", -1);
  for (Quantity& quantity : quantities_) names.push_back(quantity.name);
  for (const std::string& name : observed) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error("--observe: no end value is called \"" + name + "\"" + did_you_mean(name, names) +
                  "; name coordinates, bob.x, their velocities, v(bob.x), or numbers of the motion, \"largest "
                  "force:JOINT\", \"mean bob.x\"");
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    const bool wanted = std::find(observed.begin(), observed.end(), names[k]) != observed.end();
    quantities_[k].shown = observed.empty() ? k % 2 == 0 && k < 2 * most_shown : wanted;
  }
  add_quantity("max_position_violation", "violation", "max_position_violation", -1);
  add_quantity("energy_drift", "energy drift", "energy_drift", -1);
  add_quantity("steps", "steps", "steps", -1);
  add_quantity("rhs_evaluations", "evaluations", "rhs_evaluations", -1);
  for (const auto& [k, line] : cases_) count(k, line);
  std::stable_sort(failures_.begin(), failures_.end(),
                   [](const Group& a, const Group& b) { return a.cases > b.cases; });
}

double StudySummary::value_of(const Json& line, const Quantity& quantity) {
  const Json& value = line.at(quantity.field);
  if (quantity.entry >= 0) return number_in(value.at(static_cast<std::size_t>(quantity.entry)));
  return number_in(value.is_object() ? value.at(quantity.name) : value);
}

void StudySummary::add_quantity(const std::string& name, const std::string& title, const char* field, int entry) {
  Quantity quantity;
  quantity.name = name;
  quantity.title = title;
  quantity.field = field;
  quantity.entry = entry;
  double least = HUGE_VAL, largest = -HUGE_VAL, sum = 0.0, squares = 0.0;
  for (const auto& [k, line] : cases_) {
    const double value = has_end(line) ? value_of(line, quantity) : Report::none;
    if (std::isnan(value)) continue;
    if (value < least) quantity.least_case = k;
    if (value > largest) quantity.largest_case = k;
    least = std::min(least, value);
    largest = std::max(largest, value);
    sum += value;
    quantity.sorted.push_back(value);
  }
  const auto size = static_cast<double>(quantity.sorted.size());
  quantity.mean = size > 0.0 ? sum / size : Report::none;
  for (const double value : quantity.sorted) squares += (value - quantity.mean) * (value - quantity.mean);
  quantity.deviation = size > 1.0 ? std::sqrt(squares / (size - 1.0)) : Report::none;
  std::sort(quantity.sorted.begin(), quantity.sorted.end());
  quantities_.push_back(std::move(quantity));
}

void StudySummary::count(std::uint64_t k, const Json& line) {
  const auto status = line.at("status").get<std::string>();
  const bool finished = status == "finished", doubted = finished && !line.at("doubts").empty();
  ++outcomes_[status];
  doubted_ += doubted;
  for (const Json& kind : line.at("doubts")) ++doubts_[kind.get<std::string>()];
  const auto in_group = [&](std::vector<Group>& groups, const std::string& name, const std::string& value) {
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.name == name && g.value == value; });
    if (group == groups.end()) {
      Group fresh;
      fresh.name = name;
      fresh.value = value;
      fresh.first = k;
      group = groups.insert(groups.end(), fresh);
    }
    ++group->cases;
    group->finished += finished;
    group->doubted += doubted;
    if (!has_end(line)) return;
    group->steps.push_back(number_in(line.at("steps")));
    group->evaluations.push_back(number_in(line.at("rhs_evaluations")));
    group->violations.push_back(number_in(line.at("max_position_violation")));
  };
  for (const Json& varied : heading_->at("vary")) {
    const auto name = varied.at("name").get<std::string>();
    if (!varied.at("random").get<bool>()) in_group(values_, name, line.at("values").at(name).dump());
  }
  if (!finished) in_group(failures_, status, without_numbers(line.at("message").get<std::string>()));
}

int StudySummary::exit_code() const {
  if (cases_.size() < requested_) return exit_interrupted;
  if (!failures_.empty()) return exit_numerical_failure;
  return doubted_ > 0 ? exit_doubts : exit_finished;
}

std::string StudySummary::verdict() const {
  const auto finished = outcomes_.find("finished");
  const long good = finished == outcomes_.end() ? 0 : finished->second;
  std::string words = fmt::format("{} of {} cases finished", good, cases_.size());
  if (doubted_ > 0) words += fmt::format(", {} of them with doubts", doubted_);
  if (cases_.size() < requested_)
    words += fmt::format("; {} of {} were run; continue with --out and --resume", cases_.size(), requested_);
  return words;
}

std::string StudySummary::quantities(std::size_t width) const {
  const Align left = Align::left, right = Align::right;
  Table table({{"at the end", left},
               {"least"},
               {"case"},
               {"5 %", right, 2},
               {"median"},
               {"95 %", right, 2},
               {"largest"},
               {"case"},
               {"mean", right, 3},
               {"deviation", right, 3}},
              width);
  std::vector<Table::Row> rows;
  for (const Quantity& q : quantities_) {
    if (!q.shown || q.sorted.empty()) continue;
    rows.push_back({q.title, number(q.sorted.front(), ".4g"), std::to_string(q.least_case),
                    number(quantile(q.sorted, 0.05), ".4g"), number(quantile(q.sorted, 0.5), ".4g"),
                    number(quantile(q.sorted, 0.95), ".4g"), number(q.sorted.back(), ".4g"),
                    std::to_string(q.largest_case), number(q.mean, ".4g"), number(q.deviation, ".3g")});
  }
  return rows.empty() ? "" : table.text(rows);
}

std::string StudySummary::each_case(std::size_t width) const {
  std::vector<Column> columns = {{"case"}};
  std::vector<Table::Row> rows;
  std::vector<std::vector<std::string>> values;
  for (const Json& varied : heading_->at("vary")) {
    const auto name = varied.at("name").get<std::string>();
    columns.push_back({name});
    std::vector<Json> of_cases;
    for (const auto& [k, line] : cases_) of_cases.push_back(line.at("values").at(name));
    const std::set<Json> different(of_cases.begin(), of_cases.end());
    const std::vector<Json> once(different.begin(), different.end());
    const std::vector<std::string> words = words_of(once);
    values.emplace_back();
    for (const Json& value : of_cases)
      values.back().push_back(
          words[static_cast<std::size_t>(std::lower_bound(once.begin(), once.end(), value) - once.begin())]);
  }
  columns.push_back({"outcome", Align::left});
  int priority = 0;
  for (const Quantity& q : quantities_) {
    if (q.shown) columns.push_back({q.title, Align::right, ++priority});
  }
  std::size_t row = 0;
  for (const auto& [k, line] : cases_) {
    Table::Row cells = {std::to_string(k)};
    for (const std::vector<std::string>& words : values) cells.push_back(words[row]);
    const auto status = line.at("status").get<std::string>();
    const bool doubted = !line.at("doubts").empty();
    cells.push_back({status + (doubted ? ", doubted" : ""), status != "finished" ? Style::bad
                                                            : doubted            ? Style::doubtful
                                                                                 : Style::plain});
    for (const Quantity& q : quantities_) {
      if (q.shown) cells.push_back(number(has_end(line) ? value_of(line, q) : Report::none, ".6g"));
    }
    rows.push_back(std::move(cells));
    ++row;
  }
  return Table(columns, width).text(rows);
}

std::string StudySummary::by_value(std::size_t width) const {
  const Align left = Align::left, right = Align::right;
  std::string result;
  for (const Json& varied : heading_->at("vary")) {
    const auto name = varied.at("name").get<std::string>();
    Table table({{name, left},
                 {"cases"},
                 {"finished"},
                 {"doubted"},
                 {"steps", right, 1, 0, "median"},
                 {"evaluations", right, 1, 0, "median"},
                 {"violation", right, 1, 0, "median"}},
                width);
    std::vector<const Group*> groups;
    std::vector<Json> values;
    for (const Group& g : values_) {
      if (g.name != name) continue;
      groups.push_back(&g);
      values.push_back(cases_.at(g.first).at("values").at(name));
    }
    const std::size_t shown = std::min(groups.size(), 2 * most_shown);
    values.resize(shown);
    const std::vector<std::string> words = words_of(values);
    std::vector<Table::Row> rows;
    for (std::size_t k = 0; k < shown; ++k) {
      const Group& g = *groups[k];
      rows.push_back({words[k],
                      std::to_string(g.cases),
                      {std::to_string(g.finished), g.finished < g.cases ? Style::bad : Style::plain},
                      std::to_string(g.doubted),
                      number(median(g.steps), ".0f"),
                      number(median(g.evaluations), ".0f"),
                      number(median(g.violations), ".2g")});
    }
    if (rows.size() > 1) result += "\n" + table.text(rows) + rest_of(groups.size() - shown);
  }
  return result;
}

std::string StudySummary::failures(std::size_t width) const {
  const Align left = Align::left;
  Table table({{"not finished", left}, {"cases"}, {"first"}, {"message, and the values of the first", left}}, width);
  std::vector<Table::Row> rows;
  for (const Group& g : failures_) {
    if (rows.size() == most_shown) continue;
    const Json& line = cases_.at(g.first);
    rows.push_back({{g.name, Style::bad},
                    std::to_string(g.cases),
                    std::to_string(g.first),
                    line.at("message").get<std::string>() + " (" + values_of(line) + ")"});
  }
  return rows.empty() ? "" : "\n" + table.text(rows) + rest_of(failures_.size() - rows.size());
}

std::string StudySummary::text(std::size_t width) const {
  const Style style = !failures_.empty() ? Style::bad : doubted_ > 0 ? Style::doubtful : Style::good;
  std::string result;
  for (const std::string& line : wrapped(verdict(), width)) result += styled(line, style) + "\n";
  result += paragraph(heading_->at("name").get<std::string>() +
                          (outcomes_.size() > 1 ? "; outcomes: " + counts_text(outcomes_) : "") +
                          (doubts_.empty() ? "" : "; doubts: " + counts_text(doubts_)),
                      width);
  // A few cases are their own summary.
  if (!cases_.empty() && cases_.size() <= most_shown) return result + "\n" + each_case(width) + failures(width);
  return result + "\n" + quantities(width) + by_value(width) + failures(width);
}

std::string StudySummary::document() const {
  Json json, quantities = Json::array(), values = Json::array(), failures = Json::array();
  for (const Quantity& q : quantities_) {
    if (q.sorted.empty()) continue;
    quantities.push_back({{"name", q.name},
                          {"cases", q.sorted.size()},
                          {"least", q.sorted.front()},
                          {"least_case", q.least_case},
                          {"quantile_05", quantile(q.sorted, 0.05)},
                          {"median", quantile(q.sorted, 0.5)},
                          {"quantile_95", quantile(q.sorted, 0.95)},
                          {"largest", q.sorted.back()},
                          {"largest_case", q.largest_case},
                          {"mean", q.mean},
                          {"deviation", number_or_null(q.deviation)}});
  }
  for (const Group& g : values_) {
    values.push_back({{"name", g.name},
                      {"value", cases_.at(g.first).at("values").at(g.name)},
                      {"cases", g.cases},
                      {"finished", g.finished},
                      {"doubted", g.doubted},
                      {"median_steps", number_or_null(median(g.steps))},
                      {"median_rhs_evaluations", number_or_null(median(g.evaluations))},
                      {"median_max_position_violation", number_or_null(median(g.violations))}});
  }
  for (const Group& g : failures_) {
    const Json& line = cases_.at(g.first);
    failures.push_back({{"status", g.name},
                        {"message", line.at("message")},
                        {"cases", g.cases},
                        {"first", g.first},
                        {"values", line.at("values")}});
  }
  set(json, "schema", 1);
  json["plan"] = *heading_;
  json["asked"] = requested_;
  json["cases"] = cases_.size();
  json["outcomes"] = outcomes_;
  json["doubted"] = doubted_;
  json["doubts"] = doubts_;
  json["quantities"] = std::move(quantities);
  json["by_value"] = std::move(values);
  json["failures"] = std::move(failures);
  return json_text(json);
}

}  // namespace sunlagrange::program
