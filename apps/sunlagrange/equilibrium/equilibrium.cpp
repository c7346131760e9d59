// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include <sunlagrange/analysis/static_equilibrium.hpp>
#include <sunlagrange/analysis/write_html.hpp>

#include "commands.hpp"
#include "shared/interruption.hpp"
#include "shared/json.hpp"
#include "shared/output.hpp"
#include "shared/problem.hpp"
#include "shared/table.hpp"
#include "shared/text.hpp"

#include <nlohmann/json.hpp>

/// `equilibrium`: static equilibria of a registered mechanism or a model file.
namespace sunlagrange::program {
namespace {

struct EquilibriumArguments {
  ProblemArguments problem;
  std::string html;
  int starts = 1;
  double spread = EquilibriumOptions{}.spread;
  unsigned long seed = EquilibriumOptions{}.seed;
};

Json equilibrium_json(const Equilibrium& found) {
  Json json = parsed(figures_json(found));
  set(json, "imbalance", found.linearisation.imbalance);
  json["q"] = array(found.state.q);
  json["lambda"] = array(found.state.lambda);
  Json modes = Json::array();
  for (const Mode& mode : found.modes.modes)
    modes.push_back({number_or_null(mode.eigenvalue.real()), number_or_null(mode.eigenvalue.imag())});
  json["eigenvalues"] = std::move(modes);
  return json;
}

/// @param reached  where the search from the given start ended, if nothing was found
std::string document(const Problem& problem, const Status& status, const std::vector<Equilibrium>& all,
                     const Equilibrium& reached) {
  const MechanicalSystem& system = *problem.mechanism.system;
  Json json;
  set(json, "schema", 1);
  set(json, "mechanism", problem.name);
  set(json, "t", problem.mechanism.start.t);
  set(json, "status", to_string(status.outcome));
  set(json, "message", status.message);
  std::vector<std::string> coordinates, constraints;
  for (int i = 0; i < system.num_positions(); ++i) coordinates.push_back(system.position_name(i));
  for (int i = 0; i < system.num_constraints(); ++i) constraints.push_back(system.constraint_name(i));
  set(json, "coordinates", coordinates);
  set(json, "constraints", constraints);
  Json list = Json::array();
  for (const Equilibrium& found : all) list.push_back(equilibrium_json(found));
  json["equilibria"] = std::move(list);
  if (all.empty()) {
    Json state;
    set(state, "iterations", reached.iterations);
    state["q"] = array(reached.state.q);
    state["lambda"] = array(reached.state.lambda);
    json["reached"] = std::move(state);
  }
  return json_text(json);
}

/// Returns 0 for a value below the tolerance of the search.
std::string shown(double x, double scale, const char* format) {
  return number(std::abs(x) > EquilibriumOptions{}.tolerance * scale ? x : 0.0, format);
}

void print(const Problem& problem, const Status& status, const std::vector<Equilibrium>& all) {
  const std::size_t width = output_width(false);
  const MechanicalSystem& system = *problem.mechanism.system;
  if (!all.empty())
    print_wrapped(std::to_string(all.size()) + (all.size() == 1 ? " equilibrium found" : " equilibria found"), width);
  print_wrapped(problem.description(), width);
  if (!status.finished()) print_wrapped(status.message, width);
  for (const Equilibrium& found : all) {
    print_wrapped("\n" + found.modes.verdict + "; " + std::to_string(found.iterations) + " iterations" +
                      (found.status.message.empty() ? "" : "; " + found.status.message),
                  width);
    Table table({{"coordinate", Align::left}, {"position"}, {"reaction"}, {"", Align::left}}, width);
    const double largest = found.reaction.size() > 0 ? found.reaction.lpNorm<Eigen::Infinity>() : 0.0;
    std::vector<Table::Row> rows;
    for (int i = 0; i < system.num_positions(); ++i) {
      const CoordinateUnits own = units_of_coordinate(system, i);
      const std::string units = own.effort.empty() ? "" : own.displacement + ", " + own.effort;
      rows.push_back({system.position_name(i), shown(found.state.q[i], system.natural_scales()[i], ".8g"),
                      shown(found.reaction[i], largest, ".6g"), units});
    }
    std::cout << table.text(rows);
  }
}

int equilibrium_of_mechanism(const EquilibriumArguments& a) {
  const Problem problem(a.problem);
  std::optional<OutputFile> html;
  if (!a.html.empty()) html.emplace(a.html, "--html");
  EquilibriumOptions options;
  options.linear_solver = problem.options.linear_solver;
  options.keep_going = problem.options.keep_going;
  options.starts = a.starts;
  options.spread = a.spread;
  options.seed = static_cast<unsigned>(a.seed);
  const auto& system = problem.mechanism.system;
  const InitialState& start = problem.mechanism.start;
  std::vector<Equilibrium> all;
  if (a.starts > 1) all = static_equilibria(system, start, options);
  Equilibrium reached;
  if (all.empty()) {
    reached = static_equilibrium(system, start, options);
    if (reached.status.finished()) all.push_back(reached);
  }
  Status status = all.empty() ? reached.status : all.front().status;
  if (a.starts == 1 && status.finished()) finish_uninterrupted();
  if (a.starts > 1 && interrupted())
    status = {Outcome::interrupted, "the search was interrupted: not every start was tried"};
  if (a.problem.json)
    std::cout << document(problem, status, all, reached);
  else
    print(problem, status, all);
  if (html && !all.empty()) {
    write_html(all, system, html->stream(), problem.title() + ", equilibria");
    html->commit();
  } else if (html) {
    std::cerr << "--html: no equilibrium, so no page is written\n";
  }
  if (all.empty()) return exit_numerical_failure;
  for (const Equilibrium& found : all) {
    if (!found.status.message.empty()) return exit_doubts;
  }
  return exit_finished;
}

}  // namespace

Command equilibrium_command() {
  const auto a = std::make_shared<EquilibriumArguments>();
  std::vector<Option> common;
  for (Option& option : problem_options(a->problem)) {
    const std::string_view name = option.name;
    if (name != "--gains" && name != "--table" && name != "--max-steps" && name != "--t-end" && name != "--atol")
      common.push_back(std::move(option));
  }
  const std::vector<Option> options = {
      {"--starts", &a->starts, "number of starts: the given one, and random ones around it",
       rule::show_default | rule::positive},
      {"--spread", &a->spread, "distance of the random starts in natural scales",
       rule::show_default | rule::positive | rule::finite},
      {"--seed", &a->seed, "of these starts", rule::show_default},
      {"--html", &a->html, "write a page to this file: a picture of each, its coordinates and joint forces",
       rule::writes}};
  return {"equilibrium", "finds states at rest, with reactions and stability", common + options,
          [a] { return equilibrium_of_mechanism(*a); },
          "\nExamples:\n"
          "  equilibrium pendulum --starts 10 --html rest.html\n"
          "  equilibrium nikravesh --json"};
}

}  // namespace sunlagrange::program
