// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/base/nesting.hpp>
#include <sunlagrange/base/printable.hpp>
#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "base/words.hpp"
#include "files/json_parameters.hpp"

namespace sunlagrange::internal {
namespace {

struct Unit {
  const char* name;
  const char* base;
  double factor;
};

constexpr Unit units[] = {{"mm", "m", 1e-3},
                          {"cm", "m", 1e-2},
                          {"km", "m", 1e3},
                          {"g", "kg", 1e-3},
                          {"t", "kg", 1e3},
                          {"deg", "rad", 3.14159265358979323846 / 180.0},
                          {"ms", "s", 1e-3},
                          {"min", "s", 60.0},
                          {"kN", "N", 1e3},
                          {"N/mm", "N/m", 1e3},
                          {"kN/m", "N/m", 1e3},
                          {"l", "m^3", 1e-3},
                          {"kPa", "Pa", 1e3},
                          {"bar", "Pa", 1e5},
                          {"MPa", "Pa", 1e6},
                          {"cm^2", "m^2", 1e-4},
                          {"mm^2", "m^2", 1e-6},
                          {"g/cm^3", "kg/m^3", 1e3},
                          {"t/m^3", "kg/m^3", 1e3},
                          {"kg/l", "kg/m^3", 1e3},
                          {"kg cm^2", "kg m^2", 1e-4},
                          {"kg mm^2", "kg m^2", 1e-6},
                          {"g cm^2", "kg m^2", 1e-7},
                          {"mH", "H", 1e-3},
                          {"mF", "F", 1e-3},
                          {"uF", "F", 1e-6},
                          {"rpm", "rad/s", 3.14159265358979323846 / 30.0},
                          {"deg/s", "rad/s", 3.14159265358979323846 / 180.0}};

/// Returns "m" of "m/s", and "m/s" of "m/s^2"; empty of a unit that is not divided by seconds.
std::string times_second(const std::string& unit) {
  const std::size_t slash = unit.rfind("/s");
  if (slash == std::string::npos || slash == 0) return "";
  const std::string power = unit.substr(slash + 2);
  if (power.empty()) return unit.substr(0, slash);
  if (power.size() != 2 || power[0] != '^' || power[1] < '2' || power[1] > '9') return "";
  return power == "^2" ? unit.substr(0, slash + 2)
                       : unit.substr(0, slash + 3) + std::string(1, static_cast<char>(power[1] - 1));
}

/// Returns how many `wanted` a `given` has: 0.001 of "mm/s^2" and "m/s^2"; 0: they do not fit.
double ratio_of(const std::string& given, const std::string& wanted) {
  if (given == wanted) return 1.0;
  for (const Unit& unit : units) {
    if (wanted == unit.base && given == unit.name) return unit.factor;
  }
  const std::string of_given = times_second(given), of_wanted = times_second(wanted);
  return of_given.empty() || of_wanted.empty() ? 0.0 : ratio_of(of_given, of_wanted);
}

double factor_of(const std::string& given, const std::string& wanted) {
  if (const double ratio = ratio_of(given, wanted); ratio != 0.0) return ratio;
  std::string fitting = wanted;
  for (const Unit& unit : units) {
    if (wanted == unit.base) append_word(fitting, unit.name);
  }
  if (wanted.empty()) throw Error("unit \"" + given + "\": it has none of its own here; leave the unit out");
  throw Error("unit \"" + given + "\" does not fit; choose one of: " + fitting);
}

std::string kind_of(const Json& value) {
  return value.is_object() ? "an object" : value.is_array() ? "a list" : value.dump();
}

/// Returns the message of the parser without its own numbers, with the most likely reason.
std::string parse_complaint(const std::string& said) {
  const std::size_t begin = said.find("syntax error");
  std::string words = begin == std::string::npos ? said : said.substr(begin);
  const auto says = [&words](const char* part) { return words.find(part) != std::string::npos; };
  if (says("unexpected string literal") || says("unexpected '{'") || says("unexpected '['"))
    words += "; is a comma or a colon missing in front of it?";
  else if (says("unexpected end of input"))
    words += "; is a bracket left open?";
  else if (says("unexpected '}'") || says("unexpected ']'"))
    words += "; is there a comma too much in front of it, or a value missing?";
  return words;
}

}  // namespace

Document::Document(const std::string& text, const std::string& source) : text_(text), source_(source) {
  require_shallow(text, source);
  try {
    root_ = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    throw Error(source + ":" + std::to_string(1 + std::count(text.begin(), end, '\n')) +
                ": no JSON: " + parse_complaint(error.what()));
  } catch (const Json::out_of_range& error) {  // a number beyond all doubles
    const std::string said = error.what();
    const KeyAndLine at = overflow(text);
    throw Error(source + ":" + std::to_string(at.line) +
                (at.key.empty() ? "" : ": field \"" + printable(at.key) + "\"") + ": a number is not finite, " +
                said.substr(std::min(said.find("number"), said.size())));
  }
  const KeyAndLine twice = repeated_key(text);
  if (twice.line > 0)
    throw Error(source + ":" + std::to_string(twice.line) + ": the field \"" + printable(twice.key) +
                "\" stands twice in one object; leave one of the two");
}

void Document::fail(const Place& place, const std::string& what, const std::string& complaint) const {
  throw PlacedError(printable(source_ + ":" + std::to_string(line_of(text_, place)) + ": " + what + ": " + complaint));
}

double number_in(const Json& value, const std::string& unit) {
  if (value.is_number()) return value.get<double>();
  if (value.is_object() && value.size() == 2 && value.contains("value") && value.contains("unit") &&
      value["value"].is_number() && value["unit"].is_string())
    return value["value"].get<double>() * factor_of(value["unit"].get<std::string>(), unit);
  throw Error("must be a number, or {\"value\": 1.0, \"unit\": \"" + (unit.empty() ? "1" : unit) + "\"}, not " +
              kind_of(value));
}

Fields::Fields(const Document& document, const Json& object, Place place, std::string what)
    : document_(&document), object_(&object), place_(std::move(place)), what_(std::move(what)) {
  if (!object.is_object()) document.fail(place_, what_, "must be an object {...}, not " + kind_of(object));
}

const Json* Fields::find(const std::string& field) {
  known_.push_back(field);
  const auto found = object_->find(field);
  return found == object_->end() ? nullptr : &*found;
}

const Json& Fields::get(const std::string& field) {
  const Json* found = find(field);
  if (found == nullptr) document_->fail(place_, what_, "the field \"" + field + "\" is missing");
  return *found;
}

Place Fields::place(const std::string& field) const {
  Place inside = place_;
  inside.emplace_back(field);
  return inside;
}

void Fields::fail(const std::string& field, const std::string& complaint) const {
  document_->fail(place(field), what_ + ", field \"" + field + "\"", complaint);
}

void Fields::read(const std::string& field, double& value, const std::string& unit) {
  const Json* found = find(field);
  if (found == nullptr) return;
  try {
    value = number_in(*found, unit);
  } catch (const Error& error) {
    fail(field, error.what());
  }
}

void Fields::read(const std::string& field, long& value) {
  const Json* found = find(field);
  if (found == nullptr) return;
  if (!found->is_number_integer()) fail(field, "must be an integer, not " + kind_of(*found));
  value = found->get<long>();
}

void Fields::read(const std::string& field, bool& value) {
  const Json* found = find(field);
  if (found == nullptr) return;
  if (!found->is_boolean()) fail(field, "must be true or false, not " + kind_of(*found));
  value = found->get<bool>();
}

void Fields::read(const std::string& field, std::string& value) {
  const Json* found = find(field);
  if (found == nullptr) return;
  if (!found->is_string()) fail(field, "must be a text in quotes, not " + kind_of(*found));
  value = found->get<std::string>();
}

void Fields::read(const std::string& field, std::vector<std::string>& value) {
  const Json* found = find(field);
  if (found == nullptr) return;
  const bool texts =
      found->is_array() && std::all_of(found->begin(), found->end(), [](const Json& x) { return x.is_string(); });
  if (!texts) fail(field, "must be a list of texts [\"...\"]");
  value = found->get<std::vector<std::string>>();
}

void Fields::finish() const {
  std::vector<std::string_view> known;  // a field may have been read twice
  for (const std::string& field : known_) {
    if (std::find(known.begin(), known.end(), field) == known.end()) known.push_back(field);
  }
  for (const auto& entry : object_->items()) {
    if (std::count(known.begin(), known.end(), entry.key()) > 0) continue;
    document_->at(place(entry.key()), what_, [&] { throw_unknown("field", entry.key(), known); });
  }
}

void ReadParameters::number(const Parameter& about, double& value) {
  const std::string unit = about.unit;
  const Json& said = levels_.back().object();
  if (said.find(about.name) == said.end() && value != 0.0 && unit != "1" && unit != "m/s^2") {
    std::string name;
    for (const std::string& part : names_) name += part + ".";
    const char* const words = about.words_for(value);
    defaults_taken_.push_back(name + about.name + " = " +
                              (words == nullptr ? text(value) + (unit.empty() ? "" : " " + unit) : words));
  }
  levels_.back().read(about.name, value, units_.of(about, 0));
}

void ReadParameters::numbers(const Parameter& about, double* values, std::size_t count) {
  std::vector<double> list(values, values + count);
  table(about, list);
  if (list.size() != count) {
    levels_.back().fail(about.name,
                        "has " + std::to_string(list.size()) + " numbers; it must have " + std::to_string(count));
  }
  std::copy(list.begin(), list.end(), values);
}

void ReadParameters::table(const Parameter& about, std::vector<double>& values) {
  Fields& fields = levels_.back();
  const Json* found = fields.find(about.name);
  if (found == nullptr) return;
  if (!found->is_array()) fields.fail(about.name, "must be a list of numbers, not " + kind_of(*found));
  values.clear();
  try {
    for (const Json& entry : *found) values.push_back(number_in(entry, units_.of(about, values.size())));
  } catch (const Error& error) {
    fields.fail(about.name, error.what());
  }
}

void ReadParameters::enter(const ParameterPart& about) {
  units_.enter(about);
  static const Json nothing = Json::object();
  Fields& outside = levels_.back();
  const Json* found = outside.find(about.name);
  const bool object = found != nullptr && !found->is_string();
  // of a type alone the fields are the defaults, and `choose` asks the level outside
  Fields inside(outside.document(), object ? *found : nothing, outside.place(about.name),
                outside.what() + ", field \"" + about.name + "\"");
  inside.find("type");
  levels_.push_back(std::move(inside));
  names_.emplace_back(about.name);
}

void ReadParameters::leave() {
  levels_.back().finish();
  levels_.pop_back();
  names_.pop_back();
  units_.leave();
}

std::size_t ReadParameters::choose(const std::vector<const char*>& types, std::size_t) {
  const Fields& outside = levels_[levels_.size() - 2];
  const std::string& name = names_.back();
  const std::vector<std::string_view> known(types.begin(), types.end());
  const auto found = outside.object().find(name);
  std::string type;
  if (found != outside.object().end()) {
    const Json said = found->is_object() && found->contains("type") ? found->at("type") : *found;
    if (said.is_string()) type = said.get<std::string>();
  }
  if (type.empty()) outside.fail(name, "says no \"type\"; choose one of: " + joined(known));
  const auto chosen = std::find(known.begin(), known.end(), type);
  if (chosen == known.end()) {
    outside.document().at(outside.place(name), outside.what() + ", field \"" + name + "\"",
                          [&] { throw_unknown("type", type, known); });
  }
  units_.choose(type);
  return static_cast<std::size_t>(chosen - known.begin());
}

std::shared_ptr<const LawFunction> ReadParameters::function_of_the_application(std::string& name) {
  Fields& fields = levels_.back();
  fields.get("name");
  fields.read("name", name);
  std::vector<std::string_view> known;
  if (functions_ != nullptr) {
    const auto found = functions_->find(name);
    if (found != functions_->end()) return std::make_shared<const LawFunction>(found->second);
    for (const auto& entry : *functions_) known.emplace_back(entry.first);
  }
  if (known.empty())
    fields.fail("name", "\"" + name +
                            "\" is a function of the application that wrote the model, and a file alone does not have "
                            "it; read the model there, or choose a law that a file holds, e.g. SplineTable");
  fields.document().at(fields.place("name"), fields.what(), [&] { throw_unknown("function", name, known); });
  return nullptr;
}

void WriteParameters::number(const Parameter& about, double& value) {
  levels_.back()[about.name] = value;
}

void WriteParameters::numbers(const Parameter& about, double* values, std::size_t count) {
  levels_.back()[about.name] = std::vector<double>(values, values + count);
}

void WriteParameters::enter(const ParameterPart& about) {
  names_.emplace_back(about.name);
  levels_.push_back(Json::object());
  if (*about.type != '\0') levels_.back()["type"] = about.type;
}

std::size_t WriteParameters::choose(const std::vector<const char*>& types, std::size_t current) {
  levels_.back()["type"] = types[current];
  return current;
}

void WriteParameters::leave() {
  Json inside = std::move(levels_.back());
  levels_.pop_back();
  levels_.back()[names_.back()] = std::move(inside);
  names_.pop_back();
}

void WriteParameters::function(const ParameterPart& about) {
  append_word(functions_, about.name);
}

}  // namespace sunlagrange::internal
