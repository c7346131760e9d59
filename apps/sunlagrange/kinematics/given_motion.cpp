// SPDX-License-Identifier: BSD-3-Clause
#include "kinematics/given_motion.hpp"

#include <algorithm>
#include <iostream>
#include <optional>

#include <sunlagrange/analysis/drive_forces.hpp>
#include <sunlagrange/analysis/write_html.hpp>

#include "identify/measurements.hpp"
#include "shared/json.hpp"
#include "shared/output.hpp"
#include "shared/table.hpp"
#include "shared/text.hpp"

#include <nlohmann/json.hpp>

namespace sunlagrange::program {
namespace {

constexpr const char* example_of_law = "'crank.phi={\"type\": \"Uniform\", \"rate\": 6}'";

std::string document(const Problem& problem, const std::vector<GivenMotion>& motions, const DriveForces& found) {
  Json json;
  set(json, "schema", 1);
  set(json, "mechanism", problem.name);
  Json names = Json::array();
  for (const GivenMotion& motion : motions) names.push_back(motion.coordinate);
  json["drives"] = std::move(names);
  add_figures(json, figures_json(found));
  return json_text(json);
}

void print_drives(const GivenMotionArguments& a, const Problem& problem, const std::vector<GivenMotion>& motions,
                  const DriveForces& found) {
  const std::size_t width = output_width(a.wide), every = static_cast<std::size_t>(a.every);
  const MechanicalSystem& system = *problem.mechanism.system;
  if (!found.status.message.empty()) print_wrapped(found.status.message, width);
  print_wrapped(
      "drives of " + problem.name + " along a given motion, " + std::to_string(found.states.size()) + " times" +
          (every > 1 ? "; the table shows every " + std::to_string(every) + "th; the page has all of them" : ""),
      width);
  std::vector<Column> columns = {{"t [s]"}};
  for (const GivenMotion& motion : motions) {
    const int i = system.position_indices(motion.coordinate).front();
    const std::string unit = units_of_coordinate(system, i).effort;
    columns.push_back({"drive of " + motion.coordinate + (unit.empty() ? "" : " [" + unit + "]")});
  }
  columns.push_back({"power [W]"});
  for (int i = 0; i < system.num_positions(); ++i) columns.push_back({system.position_name(i), Align::right, 1 + i});
  Table table(columns, width);
  std::vector<Table::Row> rows;
  for (std::size_t k = 0; k < found.states.size(); k += every) {
    Table::Row cells = {number(found.states[k].t, ".6g")};
    for (const double drive : found.drives[k].drive) cells.push_back(number(drive, ".6g"));
    cells.push_back(number(found.drives[k].power, ".6g"));
    for (const double q : found.states[k].q) cells.push_back(number(q, ".6g"));
    rows.push_back(std::move(cells));
  }
  std::cout << table.text(rows);
}

/// @param times  output: the times of the table
std::vector<GivenMotion> motions_of_table(const std::string& file, std::vector<double>& times) {
  std::vector<GivenMotion> motions;
  for (Measurement& column : read_measurements(file, {}, {}, {}, "--motion")) {
    if (!motions.empty() && column.t != times)
      throw Error("--motion: \"" + file + "\": " + column.output +
                  " has no value in some of the rows; give one in each, for all times");
    times = column.t;
    try {
      motions.push_back({column.output, MotionTable(std::move(column.t), std::move(column.values))});
    } catch (const Error& wrong) {
      throw Error("--motion: \"" + file + "\", column " + column.output + ": " + wrong.what());
    }
  }
  return motions;
}

GivenMotion motion_of_law(const std::string& said) {
  const std::size_t equals = said.find('=');
  if (equals == 0 || equals == std::string::npos)
    throw Error("--law \"" + said + "\": give COORDINATE=LAW, e.g. " + example_of_law);
  const std::string coordinate = said.substr(0, equals);
  return {coordinate, parse_law(said.substr(equals + 1), "--law " + coordinate)};
}

std::vector<double> times_of_run(const Problem& problem, int points) {
  const double begin = problem.mechanism.start.t, end = problem.options.t_end;
  if (!(end > begin))
    throw Error("--t-end " + number(end, ".6g") + ": must be later than the start of the motion at " +
                number(begin, ".6g"));
  std::vector<double> times;
  for (int k = 0; k < points; ++k) times.push_back(k + 1 == points ? end : begin + (end - begin) * k / (points - 1));
  return times;
}

}  // namespace

int drives_of_given_motion(const GivenMotionArguments& a, const Problem& problem, bool json) {
  std::vector<double> times;
  std::vector<GivenMotion> motions;
  if (!a.table.empty()) motions = motions_of_table(a.table, times);
  for (const std::string& law : a.laws) motions.push_back(motion_of_law(law));
  if (a.table.empty()) times = times_of_run(problem, a.points);
  std::optional<OutputFile> html;
  if (!a.html.empty()) html.emplace(a.html, "--html");
  DriveForcesOptions options;
  options.linear_solver = problem.options.linear_solver;
  options.keep_going = problem.options.keep_going;
  const auto& system = problem.mechanism.system;
  const DriveForces found = drive_forces(system, problem.mechanism.start, motions, times, options);
  if (json)
    std::cout << document(problem, motions, found);
  else
    print_drives(a, problem, motions, found);
  if (html && !found.states.empty()) {
    write_html(found, motions, system, html->stream(), problem.title() + ", drives of a given motion");
    html->commit();
  }
  return found.status.finished() ? exit_finished : exit_numerical_failure;
}

}  // namespace sunlagrange::program
