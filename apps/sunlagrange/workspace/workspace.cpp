// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

#include <sunlagrange/analysis/workspace.hpp>
#include <sunlagrange/analysis/write_html.hpp>

#include "cases/typed_number.hpp"
#include "commands.hpp"
#include "shared/json.hpp"
#include "shared/number.hpp"
#include "shared/output.hpp"
#include "shared/problem.hpp"
#include "shared/table.hpp"
#include "shared/text.hpp"

#include <nlohmann/json.hpp>

/// `workspace`: the reachable set of a point of a registered mechanism or a model file.
namespace sunlagrange::program {
namespace {

struct WorkspaceArguments {
  ProblemArguments problem;
  std::vector<std::string> point, drives, limits;
  std::string offset, html;
};

/// Splits "NAME=A:B" or "NAME=A:B:C"; the name may contain "=" and ":", and A and B may have a unit of the coordinate.
std::pair<std::string, std::vector<double>> named_values(const MechanicalSystem& system, const std::string& typed,
                                                         const std::string& option, std::size_t least, std::size_t most,
                                                         const std::string& form) {
  const auto [name, numbers] = named_text(typed, option, form.c_str());
  const std::string unit = units_of_coordinate(system, name).displacement;
  std::vector<double> values;
  std::istringstream in(numbers);
  const std::string where = option + " \"" + typed + "\", expected " + form;
  for (std::string part; std::getline(in, part, ':');)
    values.push_back(typed_number(part, where, values.size() < 2 ? unit : ""));
  if (values.size() < least || values.size() > most) throw Error(option + " \"" + typed + "\": expected " + form);
  return {name, values};
}

DrivenRange range_of(const MechanicalSystem& system, const std::string& typed) {
  const char* const form = "NAME=FROM:TO or NAME=FROM:TO:VALUES, e.g. crank.phi=0:180deg:41";
  const auto [name, values] = named_values(system, typed, "--drive", 2, 3, form);
  DrivenRange range{name, values[0], values[1]};
  if (values.size() < 3U) return range;
  if (!(values[2] >= 2.0 && values[2] <= 1e6 && values[2] == std::floor(values[2])))
    throw Error("--drive \"" + typed + "\": the number of values must be a whole one from 2 to 1000000");
  range.count = static_cast<int>(values[2]);
  return range;
}

WorkspaceOptions options_of(const WorkspaceArguments& a, const Problem& problem) {
  WorkspaceOptions options;
  options.linear_solver = problem.options.linear_solver;
  options.keep_going = problem.options.keep_going;
  for (const std::string& typed : a.limits) {
    const auto [name, values] =
        named_values(*problem.mechanism.system, typed, "--limit", 2, 2, "NAME=LOWER:UPPER, e.g. leg.x=0.4:0.9");
    options.limits.push_back({name, values[0], values[1]});
  }
  if (a.offset.empty()) return options;
  std::vector<double> offset;
  for (const std::string& part : split_list(a.offset, "--offset"))
    offset.push_back(typed_number(part, "--offset " + a.offset, "m"));
  if (offset.size() < 2U || offset.size() > 3U) throw Error("--offset " + a.offset + ": expected X,Y or X,Y,Z [m]");
  for (std::size_t i = 0; i < offset.size(); ++i) options.offset[static_cast<Eigen::Index>(i)] = offset[i];
  return options;
}

std::string document(const Problem& problem, const MechanismWorkspace& found) {
  Json json;
  set(json, "schema", 1);
  set(json, "mechanism", problem.name);
  add_figures(json, figures_json(found));
  return json_text(json);
}

void print(const Problem& problem, const MechanismWorkspace& found) {
  const std::size_t width = output_width(false);
  const long reached = found.count(Reach::reached) + found.count(Reach::singular);
  print_wrapped(std::to_string(reached) + " of " + std::to_string(found.points.size()) + " combinations were reached",
                width);
  print_wrapped(problem.description(), width);
  if (!found.status.message.empty()) print_wrapped(found.status.message, width);
  if (reached == 0) return;
  Table extent({{"place", Align::left}, {"smallest [m]"}, {"largest [m]"}}, width);
  std::vector<Table::Row> rows;
  for (std::size_t i = 0; i < found.point.size(); ++i) {
    double low = INFINITY, high = -INFINITY;
    for (const WorkspacePoint& p : found.points) {
      if (p.reach == Reach::unreached || p.reach == Reach::outside_limits) continue;
      low = std::min(low, p.place[static_cast<Eigen::Index>(i)]);
      high = std::max(high, p.place[static_cast<Eigen::Index>(i)]);
    }
    rows.push_back({found.point[i], number(low, ".6g"), number(high, ".6g")});
  }
  std::cout << extent.text(rows);
  std::string words;
  for (const auto kind : {WorkspaceBoundary::Kind::end_of_range, WorkspaceBoundary::Kind::singular,
                          WorkspaceBoundary::Kind::dead_point, WorkspaceBoundary::Kind::limit}) {
    long count = 0;
    for (const WorkspaceBoundary& b : found.boundary) count += b.kind == kind ? 1 : 0;
    if (count > 0) words += (words.empty() ? "" : ", ") + std::to_string(count) + " " + to_string(kind);
  }
  print_wrapped("possible boundary points: " + words + "; places: --json, picture: --html", width);
}

int workspace_of_mechanism(const WorkspaceArguments& a) {
  const Problem problem(a.problem);
  std::vector<DrivenRange> driven;
  for (const std::string& typed : a.drives) driven.push_back(range_of(*problem.mechanism.system, typed));
  const WorkspaceOptions options = options_of(a, problem);
  std::optional<OutputFile> html;
  if (!a.html.empty()) html.emplace(a.html, "--html");
  const MechanismWorkspace found =
      workspace(problem.mechanism.system, problem.mechanism.start, a.point, driven, options);
  if (a.problem.json)
    std::cout << document(problem, found);
  else
    print(problem, found);
  if (html && found.count(Reach::reached) + found.count(Reach::singular) > 0) {
    write_html(found, problem.mechanism.system, html->stream(), problem.title() + ", workspace");
    html->commit();
  } else if (html) {
    std::cerr << "--html: no combination was reached, so no page is written\n";
  }
  return found.status.finished() ? exit_finished : exit_numerical_failure;
}

}  // namespace

Command workspace_command() {
  const auto a = std::make_shared<WorkspaceArguments>();
  const std::vector<Option> options = {
      {"--point", &a->point, "two or three coordinates, or a block with a position, whose positions are computed",
       rule::required},
      {"--offset", &a->offset, "position of the point in the axes of its body, X,Y or X,Y,Z [m]"},
      {"--drive", &a->drives,
       "NAME=FROM:TO:VALUES, one for each degree of freedom, FROM and TO also with a unit, 30deg; default of VALUES: "
       "21",
       rule::required},
      {"--limit", &a->limits, "NAME=LOWER:UPPER, range of a coordinate; the search does not leave it"},
      {"--html", &a->html, "write a page to this file: reachable positions, their boundary, animation", rule::writes}};
  return {
      "workspace", "computes the reachable set of a point for ranges of driven coordinates",
      problem_options(a->problem) + options, [a] { return workspace_of_mechanism(*a); },
      "\nExamples:\n"
      "  workspace n_four_bar_bodies --point \"horizontal 0\" --offset 0.2,0.3 --drive \"vertical 0.phi=1.4:0.4:41\"\n"
      "  workspace chain --size 2 --point \"rod 2\" --offset 0.5,0 --drive \"rod 1.phi=-180deg:180deg:61\" \\\n"
      "      --drive \"rod 2.phi=-180deg:180deg:61\" --html arm.html"};
}

}  // namespace sunlagrange::program
