#include <sunlagrange/files/checkpoint_file.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/problems.hpp"
#include "files/json_parameters.hpp"
#include "files/options_json.hpp"
#include "files/plain_json.hpp"

namespace sunlagrange {

namespace fs = std::filesystem;

using namespace internal;
namespace {

constexpr const char* format = "sunlagrange checkpoint";
constexpr long format_version = 1;

// What there is, once for both directions: `visit` is ReadFields or WriteFields.

template <class Report, class Visit>
void for_each_figure(Report& r, Visit&& visit) {
  visit("t_start", r.t_start);
  visit("t_reached", r.t_reached);
  visit.count("steps", r.steps);
  visit.count("rhs_evaluations", r.rhs_evaluations);
  visit.count("jacobian_evaluations", r.jacobian_evaluations);
  visit.count("factorizations", r.factorizations);
  visit.count("nonlinear_iterations", r.nonlinear_iterations);
  visit.count("nonlinear_failures", r.nonlinear_failures);
  visit.count("error_test_failures", r.error_test_failures);
  visit.count("pivot_refreshes", r.pivot_refreshes);
  visit.count("rank_actions", r.rank_actions);
  visit.count("unconverged", r.unconverged_iterations);
  visit.amount("clock_rounding", r.time_rounding);
  visit.amount("max_position_violation", r.max_position_violation);
  visit.amount("max_velocity_violation", r.max_velocity_violation);
  visit.amount("relative_violation", r.relative_violation);
  visit.amount("violation_at_start", r.violation_at_start);
  visit.amount("violation_at_end", r.violation_at_end);
  visit.amount("violation_between", r.violation_between_steps);
  visit.amount("relative_velocity_violation", r.relative_velocity_violation);
  visit.amount("velocity_violation_at_start", r.velocity_violation_at_start);
  visit.amount("velocity_violation_at_end", r.velocity_violation_at_end);
  visit.amount("velocity_contradiction", r.velocity_infeasibility);
  visit("error_growth", r.error_growth);
  visit("t_error_growth", r.t_error_growth);
  visit.amount("speed", r.max_velocity);
  visit.amount("size", r.max_position);
  visit.amount("way", r.max_displacement);
  visit.younger("path", r.path_length);
  visit.younger("way_in_tolerances", r.max_displacement_in_tolerances);
  visit.amount("energy_held", r.energy_scale);
  visit.amount("work_uncertainty", r.work_uncertainty);
  visit.amount("energy_drift", r.energy_drift);
  visit.younger("energy_displacement", r.energy_displacement);
  visit.amount("smallest_singular_value", r.smallest_singular_value);
  visit("event_work", r.event_work);
  visit.amount("wall_seconds", r.wall_seconds);
  visit.amount("monitoring_seconds", r.monitoring_seconds);
}

template <class Start, class Visit>
void for_each_start_figure(Start& s, Visit&& visit) {
  visit("feasible", s.feasible);
  visit("velocities_feasible", s.velocities_feasible);
  visit("accelerations_known", s.accelerations_known);
  visit.count("iterations", s.iterations);
  visit.amount("position_violation_before", s.position_violation_before);
  visit.amount("position_violation_after", s.position_violation_after);
  visit.amount("velocity_violation_before", s.velocity_violation_before);
  visit.amount("velocity_violation_after", s.velocity_violation_after);
  visit.amount("moved_positions", s.moved_positions);
  visit.amount("moved_velocities", s.moved_velocities);
  visit.amount("moved_given", s.moved_given);
  visit("most_moved_given", s.most_moved_given);
  visit("position_moves", s.position_moves);
  visit("velocity_moves", s.velocity_moves);
  visit("most_moved", s.most_moved);
  visit("most_moved_velocity", s.most_moved_velocity);
  visit.count("rank", s.rank);
}

template <class Event, class Visit>
void for_each_rank_figure(Event& e, Visit&& visit) {
  visit("t", e.t);
  visit.amount("smallest", e.smallest);
  visit("constraint", e.constraint);
  visit("stepped_over", e.stepped_over);
  visit("passage", e.passage);
  visit("kink", e.unexplained_velocity_change);
  visit("energy_error", e.energy_error);
}

template <class Record, class Visit>
void for_each_record_figure(Record& r, Visit&& visit) {
  visit("t", r.t);
  visit("name", r.name);
  visit("done", r.done);
  visit.amount("velocity_violation_before", r.velocity_violation_before);
  visit.amount("velocity_violation_after", r.velocity_violation_after);
  visit.amount("kinetic_energy_before", r.kinetic_energy_before);
  visit.amount("kinetic_energy_after", r.kinetic_energy_after);
  visit.amount("moved_positions", r.moved_positions);
  visit("active_constraints", r.active_constraints);
}

template <class Memory, class Visit>
void for_each_memory(Memory& m, Visit&& visit) {
  visit("name", m.name);
  visit.amount("largest", m.largest);
  visit("held", m.held);
  visit.younger("passed", m.passed);
}

template <class Energy, class Visit>
void for_each_energy(Energy& e, Visit&& visit) {
  visit("start", e.start);
  visit("potential", e.potential);
  visit("work", e.work);
  visit("error", e.error);
  visit("known", e.known);
  visit("driven", e.driven);
  visit.younger("displaced", e.displaced);
  visit.younger("largest", e.largest);
}

template <class Observed, class Visit>
void for_each_observed(Observed& o, Visit&& visit) {
  visit.amount("taken_out", o.taken_out);
  visit("t_taken_out", o.t_taken_out);
  visit.amount("steps_astray", o.steps_astray);
  visit.amount("velocity_gained", o.velocity_gained);
  visit.count("tapered", o.tapered);
  visit("given_velocities", o.given_velocities);
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

void require_as_many(ReadFields& read, const char* name, std::size_t found, std::size_t wanted) {
  if (found == wanted) return;
  read.fields.fail(
      name, "has " + std::to_string(found) + " entries for " + std::to_string(wanted) + " names; the file was changed");
}

void read_named_values(Fields& top, const char* field, NamedValues& list) {
  read_object(top, field, [&list](ReadFields read) {
    std::vector<std::string> names;
    std::vector<double> values;
    read("names", names);
    read("values", values);
    require_as_many(read, "values", values.size(), names.size());
    for (std::size_t k = 0; k < names.size(); ++k) list.emplace_back(names[k], values[k]);
  });
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

/// Where a link leads to, whether there is something or not.
std::string behind_links(fs::path file) {
  constexpr int most_links = 40;
  std::error_code none;
  for (int k = 0; k < most_links && fs::is_symlink(file, none); ++k) {
    const fs::path next = fs::read_symlink(file, none);
    file = next.is_absolute() ? next : file.parent_path() / next;
  }
  return file.string();
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
  json["state"] = written_object([&](WriteFields write) {
    write("t", c.state.t);
    write("typical_position", c.typical_position);
    write("coordinates", c.positions);
    write("q", c.state.q);
    write("v", c.state.v);
  });
  json["constraints"] = {{"names", c.constraints}, {"active", c.active}};
  json["parameters"] = named_values(c.parameters);
  json["inputs"] = named_values(c.inputs);
  json["events"] = written_list(c.events, [](const EventMemory& m, WriteFields& write) { for_each_memory(m, write); });
  json["options"] = options_json(c.options);
  json["energy"] = written_object([&](WriteFields write) { for_each_energy(c.energy, write); });
  json["observed"] = written_object([&](WriteFields write) { for_each_observed(c.observed, write); });
  json["statistics"] = written_object([&](WriteFields write) { for_each_figure(c.report, write); });
  json["start"] = written_object([&](WriteFields write) { for_each_start_figure(c.report.start, write); });
  json["rank_events"] = written_list(c.report.rank_events,
                                     [](const RankEvent& e, WriteFields& write) { for_each_rank_figure(e, write); });
  json["event_records"] =
      written_list(c.report.events, [](const EventRecord& r, WriteFields& write) { for_each_record_figure(r, write); });
  return json.dump(1) + "\n";
}

void write_checkpoint(const Checkpoint& checkpoint, const std::string& file) {
  std::error_code none;
  const std::string target = behind_links(file), beside = target + ".part";
  if (fs::exists(fs::symlink_status(target, none)) && !fs::is_regular_file(target, none))
    throw Error("cannot write the checkpoint \"" + file +
                "\": it is no regular file, and a checkpoint replaces its file as a whole; name another");
  const std::string text = checkpoint_text(checkpoint);
  std::ofstream out(beside);
  out << text;
  out.close();
  if (out && std::rename(beside.c_str(), target.c_str()) == 0) return;
  std::remove(beside.c_str());
  throw Error("cannot write the checkpoint \"" + file + "\"; name a file in a folder that can be written to");
}

Checkpoint parse_checkpoint(const std::string& text, const std::string& source) {
  const Document document = document_of(text, source);
  check_kind(document, source);
  Fields top(document, document.root(), {}, "checkpoint");
  Checkpoint c;
  for (const char* read : {"format", "format_version"}) top.get(read);
  ReadFields{top}("version", c.version);
  read_object(top, "state", [&c](ReadFields read) {
    read("t", c.state.t);
    read.amount("typical_position", c.typical_position);
    read("coordinates", c.positions);
    read("q", c.state.q);
    read("v", c.state.v);
    require_as_many(read, "q", static_cast<std::size_t>(c.state.q.size()), c.positions.size());
    require_as_many(read, "v", static_cast<std::size_t>(c.state.v.size()), c.positions.size());
  });
  read_object(top, "constraints", [&c](ReadFields read) {
    read("names", c.constraints);
    read("active", c.active);
    require_as_many(read, "active", c.active.size(), c.constraints.size());
  });
  if (top.find("parameters") != nullptr) read_named_values(top, "parameters", c.parameters);
  read_named_values(top, "inputs", c.inputs);
  read_list(top, "events", c.events, [](EventMemory& m, ReadFields read) { for_each_memory(m, read); });
  read_options(c.options, {document, top.get("options"), top.place("options"), "checkpoint, options"});
  read_object(top, "energy", [&c](ReadFields read) { for_each_energy(c.energy, read); });
  if (top.find("observed") != nullptr)
    read_object(top, "observed", [&c](ReadFields read) { for_each_observed(c.observed, read); });
  read_object(top, "statistics", [&c](ReadFields read) { for_each_figure(c.report, read); });
  read_object(top, "start", [&c](ReadFields read) { for_each_start_figure(c.report.start, read); });
  read_list(top, "rank_events", c.report.rank_events,
            [](RankEvent& e, ReadFields read) { for_each_rank_figure(e, read); });
  read_list(top, "event_records", c.report.events,
            [](EventRecord& r, ReadFields read) { for_each_record_figure(r, read); });
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
