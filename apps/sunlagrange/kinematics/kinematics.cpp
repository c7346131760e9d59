// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include <sunlagrange/analysis/kinematics.hpp>
#include <sunlagrange/analysis/write_html.hpp>

#include "cases/typed_number.hpp"
#include "commands.hpp"
#include "kinematics/given_motion.hpp"
#include "shared/interruption.hpp"
#include "shared/json.hpp"
#include "shared/number.hpp"
#include "shared/output.hpp"
#include "shared/problem.hpp"
#include "shared/record.hpp"
#include "shared/table.hpp"
#include "shared/text.hpp"

#include <nlohmann/json.hpp>

/// `kinematics`: positions, velocities, accelerations and drive force of a registered mechanism or a model file over
/// one coordinate.
namespace sunlagrange::program {
namespace {

struct KinematicsArguments {
  ProblemArguments problem;
  std::string coordinate;
  std::string typed_from, typed_to, typed_speed = "0", typed_acceleration = "0";
  double from = std::numeric_limits<double>::quiet_NaN();
  double to = std::numeric_limits<double>::quiet_NaN();
  int points = not_given;
  int dead_points = 0;
  double speed = 0.0;
  double acceleration = 0.0;
  std::string html;
  std::string motion;
  std::vector<std::string> laws;
  bool wide = false;
};

constexpr int rows_of_table = 13, values_of_page = 181, values_for_a_row = (values_of_page - 1) / (rows_of_table - 1);

/// Returns true if the grid is finer than the rows of the table, for the curves of a page.
bool finer_for_page(const KinematicsArguments& a) {
  return a.points == not_given && !a.html.empty();
}

/// Returns the number of times of laws, or of values of the grid.
int points_of(const KinematicsArguments& a) {
  constexpr int most = 1000000;
  const int points = a.points != not_given ? a.points : finer_for_page(a) ? values_of_page : rows_of_table;
  if (points < 2 || points > most)
    throw Error("--points " + std::to_string(points) + ": at least 2, the ends, and at most " + std::to_string(most));
  return points;
}

/// Reads the numbers of the driven coordinate in its units.
KinematicsArguments with_numbers(KinematicsArguments a, const MechanicalSystem& system) {
  if (a.typed_from.empty() || a.typed_to.empty()) throw Error("--from, --to: give both ends of the grid");
  const CoordinateUnits units = units_of_coordinate(system, a.coordinate);
  a.from = typed_number(a.typed_from, "--from", units.displacement);
  a.to = typed_number(a.typed_to, "--to", units.displacement);
  a.speed = typed_number(a.typed_speed, "--speed", units.flow);
  a.acceleration = typed_number(a.typed_acceleration, "--acceleration",
                                units.displacement.empty() ? "" : units.displacement + "/s^2");
  return a;
}

std::vector<double> grid_of(const KinematicsArguments& a) {
  const int points = points_of(a);
  std::vector<double> grid;
  for (int k = 0; k < points; ++k) grid.push_back(a.from + (a.to - a.from) * k / (points - 1));
  return grid;
}

/// Refuses rates beyond which products with curvatures overflow. @throws Error
void check_motion(const KinematicsArguments& a) {
  constexpr double fastest = 1e100, hardest = fastest * fastest;
  if (std::abs(a.speed) > fastest)
    throw Error("--speed " + short_number(a.speed) + ": at most " + short_number(fastest) +
                " either way, its square counts; give the speed in larger units, or --speed 1: forces grow with its "
                "square");
  if (std::abs(a.acceleration) > hardest)
    throw Error("--acceleration " + short_number(a.acceleration) + ": at most " + short_number(hardest) +
                " either way; give it in larger units, or --acceleration 1: forces grow with it");
}

struct Row {
  MotionState state;
  InverseDynamics drive;  // `status` tells if there is a drive force
};

/// After an interruption the points found so far still get their drive forces, within a limited time: there may be very
/// many points.
bool time_for_drives() {
  constexpr double patience = 2.0;  // [s]
  if (!interrupted()) return true;
  static const double since = thread_cpu_seconds();
  return thread_cpu_seconds() - since < patience;
}

Row row_of(const KinematicsArguments& a, const Problem& problem, const KinematicPoint& point,
           const std::string& coordinate) {
  Row row;
  row.state = point.state(problem.mechanism.start.t, a.speed, a.acceleration);
  if (!time_for_drives())
    row.drive.status.outcome = Outcome::interrupted;
  else if (!row.state.v.allFinite() || !row.state.a.allFinite())  // at a dead point
    row.drive.status.outcome = Outcome::rank_loss;
  else
    row.drive = inverse_dynamics(problem.mechanism.system, row.state, {coordinate});
  if (row.drive.status.finished() && !row.drive.delivers()) {  // where branches cross
    row.drive = {};
    row.drive.status.outcome = Outcome::rank_loss;
  }
  return row;
}

/// Adds the motion and the force of the drive to the points of a branch.
void add_drives(Json& json, const KinematicsArguments& a, const Problem& problem, const Kinematics& found,
                const KinematicBranch& branch) {
  for (std::size_t k = 0; k < branch.points.size(); ++k) {
    const Row row = row_of(a, problem, branch.points[k], found.coordinate);
    Json& point = json["points"][k];
    point["v"] = array(row.state.v);
    point["a"] = array(row.state.a);
    point["drive"] = row.drive.status.finished() ? number_or_null(row.drive.drive[0]) : Json();
    point["lambda"] = array(row.drive.lambda);
  }
}

std::string document(const KinematicsArguments& a, const Problem& problem, const Kinematics& found) {
  Json json;
  set(json, "schema", 1);
  set(json, "mechanism", problem.name);
  set(json, "speed", a.speed);
  set(json, "acceleration", a.acceleration);
  add_figures(json, figures_json(found));
  for (std::size_t k = 0; k < found.branches.size(); ++k)
    add_drives(json["branches"][k], a, problem, found, found.branches[k]);
  return json_text(json);
}

/// Returns the points of a branch that the table shows.
std::vector<KinematicPoint> shown(const KinematicsArguments& a, const KinematicBranch& branch) {
  if (!finer_for_page(a)) return branch.points;
  std::vector<KinematicPoint> points;
  for (const KinematicPoint& point : branch.points) {
    const auto value = std::lround((point.s - a.from) / (a.to - a.from) * (values_of_page - 1));
    if (value % values_for_a_row == 0) points.push_back(point);
  }
  return points;
}

/// Returns NaN if there is none.
std::vector<double> drives_of(const KinematicsArguments& a, const Problem& problem,
                              const std::vector<KinematicPoint>& points, const std::string& coordinate) {
  std::vector<double> drives;
  for (const KinematicPoint& point : points) {
    const InverseDynamics found = row_of(a, problem, point, coordinate).drive;
    drives.push_back(found.status.finished() ? found.drive[0] : std::nan(""));
  }
  return drives;
}

/// Returns the largest magnitude of each coordinate on a branch, at least its natural scale.
Eigen::VectorXd sizes_of(const KinematicBranch& branch, const MechanicalSystem& system) {
  Eigen::VectorXd sizes = system.natural_scales();
  for (const KinematicPoint& point : branch.points) sizes = sizes.cwiseMax(point.q.cwiseAbs());
  return sizes;
}

void print(const KinematicsArguments& a, const Problem& problem, const Kinematics& found) {
  const std::size_t width = output_width(a.wide);
  const MechanicalSystem& system = *problem.mechanism.system;
  if (!found.status.message.empty())
    print_wrapped(found.status.message, width);
  else
    print_wrapped("every value of " + found.coordinate + " was reached", width);
  print_wrapped(problem.description(), width);
  for (const KinematicBranch& branch : found.branches) {
    std::vector<Column> columns(2);
    for (int i = 0; i < system.num_positions(); ++i) {
      const CoordinateUnits units = units_of_coordinate(system, i);
      const std::string name = with_unit(system.position_name(i), units.displacement);
      if (system.position_name(i) == found.coordinate) {
        columns[0] = {name};
        columns[1] = {with_unit("drive", units.effort)};
      } else {
        columns.push_back({name, Align::right, 1 + i});
      }
    }
    Table table(columns, width);
    std::vector<Table::Row> rows;
    const std::vector<KinematicPoint> points = shown(a, branch);
    const std::vector<double> drives = drives_of(a, problem, points, found.coordinate);
    double largest_drive = 0.0;
    for (const double drive : drives) largest_drive = std::fmax(largest_drive, std::abs(drive));
    const Eigen::VectorXd sizes = sizes_of(branch, system);
    const double ends = std::max(std::abs(a.from), std::abs(a.to));
    for (std::size_t k = 0; k < points.size(); ++k) {
      const KinematicPoint& point = points[k];
      Table::Row cells = {number(without_rounding(point.s, ends), ".6g"),
                          number(without_rounding(drives[k], largest_drive), ".6g")};
      for (int i = 0; i < system.num_positions(); ++i) {
        if (system.position_name(i) != found.coordinate)
          cells.push_back(number(without_rounding(point.q[i], sizes[i]), ".6g"));
      }
      rows.push_back(std::move(cells));
    }
    std::cout << table.text(rows);
    for (const DeadPoint& dead : branch.dead_point)
      print_wrapped("dead point at " + found.coordinate + " = " + number(dead.s, ".10g"), width);
  }
  print_wrapped(
      "drive: the force along " + found.coordinate + " at speed " + number(a.speed, ".6g") + ", acceleration " +
          number(a.acceleration, ".6g") + "; velocities, accelerations: --json" +
          (finer_for_page(a) ? "; every " + std::to_string(values_for_a_row) + "th value; the page has all of them"
                             : ""),
      width);
}

int drives_of_motions(const KinematicsArguments& a, const Problem& problem) {
  const KinematicsArguments fresh;
  if (!a.typed_from.empty() || !a.typed_to.empty() || a.dead_points != fresh.dead_points ||
      a.typed_speed != fresh.typed_speed || a.typed_acceleration != fresh.typed_acceleration)
    throw Error(
        "--from, --to, --dead-points, --speed, --acceleration: they belong to one coordinate over a grid; --motion and "
        "--law are functions of time");
  if (!a.motion.empty() && a.points != not_given)
    throw Error("--points: it belongs to a grid, or to laws alone; --motion has the times of its table");
  GivenMotionArguments given{a.motion, a.laws, 2, 1, a.html, a.wide};
  if (a.motion.empty()) {
    given.points = points_of(a);
    given.every = finer_for_page(a) ? values_for_a_row : 1;
  }
  return drives_of_given_motion(given, problem, a.problem.json);
}

int kinematics_of_mechanism(const KinematicsArguments& typed) {
  const bool given = !typed.motion.empty() || !typed.laws.empty();
  if (typed.coordinate.empty() != given)
    throw Error(
        "--coordinate, --motion, --law: give the driven coordinate of a grid, or motions as a table or as laws of "
        "time");
  const Problem problem(typed.problem);
  if (given) return drives_of_motions(typed, problem);
  const KinematicsArguments a = with_numbers(typed, *problem.mechanism.system);
  check_motion(a);
  std::optional<OutputFile> html;
  if (!a.html.empty()) html.emplace(a.html, "--html");
  KinematicsOptions options;
  options.linear_solver = problem.options.linear_solver;
  options.max_dead_points = a.dead_points;
  options.keep_going = problem.options.keep_going;
  const Kinematics found =
      kinematics(problem.mechanism.system, problem.mechanism.start, a.coordinate, grid_of(a), options);
  if (a.problem.json) {
    std::cout << document(a, problem, found);
  } else {
    print(a, problem, found);
  }
  if (html && !found.branches.empty() && !found.branches.front().points.empty()) {
    write_html(found, problem.mechanism.system, html->stream(), problem.title() + ", kinematics",
               {problem.mechanism.start.t, a.speed, a.acceleration});
    html->commit();
  }
  return found.status.finished() ? exit_finished : exit_numerical_failure;
}

}  // namespace

Command kinematics_command() {
  const auto a = std::make_shared<KinematicsArguments>();
  const std::vector<Option> options = {
      {"--coordinate", &a->coordinate, "name of the driven coordinate"},
      {"--motion", &a->motion,
       "compute the drive forces of a motion instead: CSV file with a line of names, t and one coordinate for each "
       "degree of freedom; at least four rows, which cubic splines interpolate",
       rule::reads},
      {"--law", &a->laws,
       "the same for a law of time, COORDINATE=LAW as in model files, from the start to --t-end; once for each "
       "coordinate; together with --motion at the times of its table"},
      {"--from", &a->typed_from, "its first value, a number or one with a unit, 30deg"},
      {"--to", &a->typed_to, "its last value"},
      {"--points", &a->points,
       "number of grid values, or of times of --law, ends included; default: " + std::to_string(rows_of_table) +
           ", with --html " + std::to_string(values_of_page),
       rule::positive},
      {"--dead-points", &a->dead_points, "number of dead points after which the curve goes on on the next branch",
       rule::show_default | rule::not_negative},
      {"--speed", &a->typed_speed, "speed of the driven coordinate, for v, a and the drive", rule::show_default},
      {"--acceleration", &a->typed_acceleration, "acceleration of the driven coordinate, for a and the drive",
       rule::show_default},
      {"--html", &a->html, "write a page to this file: animation, curves over the driven coordinate or time",
       rule::writes},
      wide_option(a->wide)};
  return {"kinematics", "computes positions, velocities, accelerations and drive force over one coordinate",
          problem_options(a->problem) + options, [a] { return kinematics_of_mechanism(*a); },
          "\nExamples:\n"
          "  kinematics slider_crank --coordinate q --from 0 --to 6.28 --speed 2 --html crank.html\n"
          "  kinematics slider_crank --coordinate x --from 1 --to 1.8 --points 8 --dead-points 1\n"
          "  kinematics n_four_bar_bodies --coordinate \"vertical 0.phi\" --from 80deg --to 60deg\n"
          "  kinematics slider_crank --motion crank.csv --json\n"
          "  kinematics slider_crank --law 'q={\"type\": \"Uniform\", \"rate\": 6}' --t-end 2 --html turning.html"};
}

}  // namespace sunlagrange::program
