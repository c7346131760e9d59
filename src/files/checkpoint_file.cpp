// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/files/checkpoint_file.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sunlagrange/base/whole_file.hpp>

#include "base/problems.hpp"
#include "base/words.hpp"
#include "files/figures_json.hpp"
#include "files/json_parameters.hpp"
#include "files/options_json.hpp"

namespace sunlagrange {

namespace fs = std::filesystem;

using namespace internal;
namespace {

constexpr const char* format = "sunlagrange checkpoint";
constexpr long format_version = 1;

// Descriptions of the parts of a checkpoint that have none of their own; they serve both directions.

void describe_memory(EventMemory& m, Figures& f) {
  f("name", m.name, "name of the event");
  f.not_negative("largest", m.largest, "", "largest |root| so far");
  f("held", m.held, "true if the motion went on from a zero and is still at it");
  f.added_later([&] { f("passed", m.passed, "sign behind a zero that was passed at this time"); });
}

/// Returns what describe(part, figures) visits as a JSON object.
template <class Part>
Json written_by(void (*describe)(Part& part, Figures& f), const Part& part) {
  WriteFigures write;
  describe(const_cast<Part&>(part), write);
  return write.take();
}

using NamedValues = std::vector<std::pair<std::string, double>>;

Json named_values(const NamedValues& list) {
  std::vector<std::string> names;
  std::vector<double> values;
  for (const auto& [name, value] : list) {
    names.push_back(name);
    values.push_back(value);
  }
  return {{"names", names}, {"values", values}};
}

void require_as_many(Fields& top, const char* object, const char* name, std::size_t found, std::size_t wanted) {
  if (found == wanted) return;
  Place place = top.place(object);
  place.emplace_back(name);
  top.document().fail(
      place, top.what() + ", " + object + ", field \"" + name + "\"",
      "has " + std::to_string(found) + " entries for " + std::to_string(wanted) + " names; the file was changed");
}

void read_named_values(Fields& top, const char* field, NamedValues& list) {
  std::vector<std::string> names;
  std::vector<double> values;
  read_object(top, field, [&](Figures& f) {
    f("names", names, "");
    f("values", values, "");
  });
  require_as_many(top, field, "values", values.size(), names.size());
  for (std::size_t k = 0; k < names.size(); ++k) list.emplace_back(names[k], values[k]);
}

/// Reads a list of objects from the field `name`. describe(entry, figures) visits each.
template <class Entry, class Describe>
void read_list(Fields& top, const char* name, std::vector<Entry>& list, Describe&& describe) {
  const Json& given = top.get(name);
  if (!given.is_array()) top.fail(name, "must be a list; the file was changed, or is of another program");
  for (std::size_t k = 0; k < given.size(); ++k) {
    Place place = top.place(name);
    place.emplace_back(k);
    ReadFigures read(Fields(top.document(), given[k], place, top.what() + ", " + name + "[" + std::to_string(k) + "]"));
    describe(list.emplace_back(), read);
    read.finish();
  }
}

Json checks_json(const std::map<std::string, CheckState>& checks) {
  Json json = Json::object();
  for (const auto& [check, state] : checks) {
    for (const auto& [name, values] : state) json[check][name] = entries_of(values);
  }
  return json;
}

std::map<std::string, CheckState> read_checks(Fields& top) {
  std::map<std::string, CheckState> checks;
  Fields all(top.document(), top.get("checks"), top.place("checks"), top.what() + ", checks");
  for (const auto& check : all.object().items()) {
    const std::string what = all.what() + ", " + check.key();
    Fields fields(top.document(), all.get(check.key()), all.place(check.key()), what);
    ReadFigures read(fields);
    for (const auto& value : fields.object().items())
      read(value.key().c_str(), checks[check.key()][value.key()], "", "");
  }
  return checks;
}

/// State of the checks in files that were written before there was "checks".
void read_older_checks(Fields& top, Checkpoint& c) {
  const auto number = [](double value) { return Eigen::VectorXd::Constant(1, value).eval(); };
  double start = 0.0, potential = 0.0, work = 0.0, error = 0.0;
  bool known = true, driven = false;
  Eigen::VectorXd displaced, largest;
  read_object(top, "energy", [&](Figures& f) {
    f("start", start, "J", "");
    f("potential", potential, "J", "");
    f("work", work, "J", "");
    f("error", error, "J", "");
    f("known", known, "");
    f("driven", driven, "");
    f.added_later([&] {
      f("displaced", displaced, "", "");
      f("largest", largest, "", "");
    });
  });
  c.checks["energy_balance"] = {{"start", number(start)},
                                {"potential", number(potential)},
                                {"work", number(work)},
                                {"error", number(error)},
                                {"known", number(known ? 1.0 : 0.0)},
                                {"driven", number(driven ? 1.0 : 0.0)},
                                {"displaced", displaced},
                                {"largest", largest}};
  if (work != 0.0 || driven) c.checks["energy_balance"]["conservative"] = number(0.0);
  if (top.find("observed") == nullptr) return;
  double correction = 0.0, t_correction = 0.0, defect = 0.0, gained = 0.0;
  Eigen::VectorXd given_velocities;
  read_object(top, "observed", [&](Figures& f) {
    f.not_negative("taken_out", correction, "1", "");
    f("t_taken_out", t_correction, "s", "");
    f.not_negative("steps_astray", defect, "1", "");
    f.not_negative("velocity_gained", gained, "1", "");
    f.count("tapered", c.report.tapered_factorizations, "");
    f("given_velocities", given_velocities, "", "");
  });
  c.checks["velocity_correction"] = {{"largest", number(correction)}, {"t", number(t_correction)}};
  c.checks["coarse_steps"] = {{"defect", number(defect)}, {"gained", number(gained)}};
  c.checks["start_moved"] = {{"given_velocities", given_velocities}};
}

Document document_of(const std::string& text, const std::string& source) {
  try {
    return {text, source};
  } catch (const Error& error) {
    throw Error(std::string(error.what()) +
                "; the file is cut off, or is no checkpoint: give one that was written to its end");
  }
}

void check_kind(const Document& document, const std::string& source) {
  const Json& root = document.root();
  const auto said = root.is_object() ? root.find("format") : root.end();
  if (!root.is_object() || said == root.end() || *said != format) {
    throw Error(source + ": field \"format\": must be \"" + format +
                "\"; this is another kind of file: give one that run --checkpoint or write_checkpoint() wrote");
  }
  const auto number = root.find("format_version");
  if (number != root.end() && *number == format_version) return;
  const auto by = root.find("version");
  document.fail({std::string("format_version")}, "checkpoint, field \"format_version\"",
                (number == root.end() ? "is missing" : "is " + number->dump()) + "; this library reads " +
                    std::to_string(format_version) + ": read it with the library that wrote it" +
                    (by != root.end() && by->is_string() ? ", " + by->get<std::string>() : ""));
}

}  // namespace

std::string checkpoint_text(const Checkpoint& c) {
  std::string problems;
  const auto refuse = [&problems](bool given, const char* option) {
    if (given)
      problems += std::string(option) + ": a file cannot hold it; run without, or keep the Checkpoint itself\n";
  };
  refuse(c.options.table.has_value(), "options.table");
  refuse(c.options.excess.given(), "options.excess");
  const IdaOverrides& ida = c.options.ida;
  refuse(ida.suppress_algebraic || ida.nonlinear_coefficient || ida.max_nonlinear_iterations || ida.initial_step,
         "options.ida");
  throw_if_any(problems, "checkpoint");
  Json json;
  json["format"] = format;
  json["format_version"] = format_version;
  json["version"] = c.version;
  json["state"] = {{"t", c.state.t},
                   {"typical_position", c.typical_position},
                   {"coordinates", c.positions},
                   {"q", entries_of(c.state.q)},
                   {"v", entries_of(c.state.v)}};
  json["constraints"] = {{"names", c.constraints}, {"active", c.active}};
  json["elements"] = c.elements;
  json["parameters"] = named_values(c.parameters);
  json["inputs"] = named_values(c.inputs);
  json["events"] = Json::array();
  for (const EventMemory& memory : c.events) json["events"].push_back(written_by(describe_memory, memory));
  json["options"] = options_json(c.options);
  json["checks"] = checks_json(c.checks);
  json["statistics"] = written_by<Report>([](Report& r, Figures& f) { r.describe_figures(f); }, c.report);
  json["start"] = written(c.report.start);
  json["rank_events"] = written(c.report.rank_events);
  json["event_records"] = written(c.report.events);
  return json.dump(1) + "\n";
}

void write_checkpoint(const Checkpoint& checkpoint, const std::string& file) {
  if (std::error_code none; fs::exists(file, none) && !fs::is_regular_file(file, none))
    throw Error("cannot write the checkpoint \"" + file +
                "\": it is no regular file, and a checkpoint replaces its file as a whole; name another");
  const std::string text = checkpoint_text(checkpoint);
  WholeFile whole(file, "checkpoint: ");
  whole.stream() << text;
  whole.commit();
}

Checkpoint parse_checkpoint(const std::string& text, const std::string& source) {
  const Document document = document_of(text, source);
  check_kind(document, source);
  Fields top(document, document.root(), {}, "checkpoint");
  Checkpoint c;
  for (const char* read : {"format", "format_version"}) top.get(read);
  {
    const Json& version = top.get("version");
    if (!version.is_string()) top.fail("version", "must be a text; the file was changed, or is of another program");
    c.version = version.get<std::string>();
  }
  read_object(top, "state", [&c](Figures& f) {
    f("t", c.state.t, "s", "");
    f.not_negative("typical_position", c.typical_position, "", "");
    f("coordinates", c.positions, "");
    f("q", c.state.q, "");
    f("v", c.state.v, "");
  });
  require_as_many(top, "state", "q", static_cast<std::size_t>(c.state.q.size()), c.positions.size());
  require_as_many(top, "state", "v", static_cast<std::size_t>(c.state.v.size()), c.positions.size());
  read_object(top, "constraints", [&c](Figures& f) {
    f("names", c.constraints, "");
    f("active", c.active, "");
  });
  require_as_many(top, "constraints", "active", c.active.size(), c.constraints.size());
  const bool is_older = c.version != library_version();  // files of older versions have neither
  if (!is_older || top.find("elements") != nullptr) top.read("elements", c.elements);
  if (!is_older || top.find("parameters") != nullptr) read_named_values(top, "parameters", c.parameters);
  read_named_values(top, "inputs", c.inputs);
  read_list(top, "events", c.events, describe_memory);
  read_options(c.options, {document, top.get("options"), top.place("options"), "checkpoint, options"});
  if (top.find("checks") != nullptr)
    c.checks = read_checks(top);
  else
    read_older_checks(top, c);
  read_object(top, "statistics", [&c](Figures& f) { c.report.describe_figures(f); });
  read_object(top, "start", [&c](Figures& f) { c.report.start.describe(f); });
  const auto describe = [](auto& entry, Figures& f) { entry.describe(f); };
  read_list(top, "rank_events", c.report.rank_events, describe);
  read_list(top, "event_records", c.report.events, describe);
  top.finish();
  return c;
}

Checkpoint read_checkpoint(const std::string& file) {
  if (std::error_code none; fs::is_directory(file, none))
    throw Error("\"" + file + "\" is a folder; name a checkpoint, a file that run --checkpoint wrote");
  std::ifstream in(file);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in) throw Error("cannot read the checkpoint \"" + file + "\"; name a file that run --checkpoint wrote");
  return parse_checkpoint(text.str(), file);
}

}  // namespace sunlagrange
