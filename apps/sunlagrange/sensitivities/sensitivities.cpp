// SPDX-License-Identifier: BSD-3-Clause
#include "sensitivities/sensitivities.hpp"

#include <iostream>

#include "commands.hpp"
#include "shared/json.hpp"
#include "shared/output.hpp"
#include "shared/table.hpp"
#include "shared/text.hpp"

#include <nlohmann/json.hpp>

/// `sensitivities`: derivatives of the motion of a registered mechanism or a model file with respect to its parameters
/// and start values.
namespace sunlagrange::program {
namespace {

SimulationOptions options_of(const SensitivitiesArguments& a, const Problem& problem) {
  const std::string formulation = a.formulation.empty() ? problem.default_formulation() : a.formulation;
  SimulationOptions options = problem.options_with(formulation);
  if (!a.formulation.empty() || !problem.from_file) set_formulation(options, formulation);
  if (!std::isnan(a.rtol) || !std::isnan(a.problem.atol) || !problem.from_file)
    set_tolerances(options, a.rtol, a.problem.atol);
  return options;
}

/// Returns advice for a mechanism without named parameters.
const char* nameless(bool program) {
  return program ? "a kinematic program has none; build it with other values and compare its runs"
                 : "none of its elements has a member describe_parameters; give the model one, or differentiate with "
                   "respect to start values, --start-position and --start-velocity";
}

int list_parameters(const SensitivitiesArguments& a, const Problem& problem) {
  const std::vector<SystemParameter> all = system_parameters(*problem.mechanism.system);
  if (a.problem.json) {
    Json json, parameters = Json::array();
    set(json, "schema", 1);
    set(json, "mechanism", problem.name);
    for (const SystemParameter& parameter : all) parameters.push_back(parsed(figures_json(parameter)));
    json["parameters"] = std::move(parameters);
    std::cout << json_text(json);
    return exit_finished;
  }
  if (all.empty()) {
    const bool program = problem.mechanism.system->first_order();
    print_wrapped("no parameter of " + problem.name + " has a name: " + nameless(program), output_width(false));
    return exit_finished;
  }
  Table table({{"parameter", Align::left}, {"value"}, {"unit", Align::left}, {"meaning", Align::left, 1}},
              output_width(false));
  std::vector<Table::Row> rows;
  for (const SystemParameter& parameter : all)
    rows.push_back({parameter.name, number(parameter.value, ".10g"), parameter.unit, parameter.meaning});
  std::cout << table.text(rows);
  return exit_finished;
}

int sensitivities_of_mechanism(const SensitivitiesArguments& a) {
  const Problem problem(a.problem);
  if (a.list) return list_parameters(a, problem);
  const SimulationOptions options = options_of(a, problem);
  if (!a.functional.empty() && (a.points != not_given || a.no_error_control))
    throw Error("--points, --no-error-control: they belong to derivatives over time; --functional is one number");
  if (!a.functional.empty()) return gradient_of_functional(a, problem, options);
  return sensitivities_along(a, problem, options);
}

}  // namespace

Command sensitivities_command() {
  const auto a = std::make_shared<SensitivitiesArguments>();
  const std::vector<Option> options = {
      {"--parameter", &a->parameters,
       "differentiate with respect to this parameter, or to several together, body.m,weight.m; may be repeated"},
      {"--start-position", &a->start_positions, "differentiate with respect to the start value of this coordinate"},
      {"--start-velocity", &a->start_velocities, "differentiate with respect to the start value of this velocity"},
      {"--list", &a->list, "list the names of the parameters and stop"},
      {"--formulation", &a->formulation,
       "baumgarte, projected, penalty, unstabilized, ggl or stabilized_index1; default: that of a model file, or "
       "baumgarte"},
      {"--rtol", &a->rtol, "relative tolerance; default: " + text(Tolerances{}.rtol), rule::finite},
      {"--method",
       &a->method,
       "correct the sensitivities after the state, or simultaneously",
       rule::show_default,
       {"staggered", "simultaneous"}},
      {"--points", &a->points, "number of output times, ends included; default: 2, with --html 201", rule::positive},
      {"--html", &a->html,
       "write a page to this file: curves of the derivatives, relative ones at the end; of a functional its gradient",
       rule::writes},
      {"--no-error-control", &a->no_error_control, "let the motion alone determine the steps"},
      {"--functional", &a->functional,
       "compute the gradient of this number by the adjoint equations instead: \"final x\", \"integral x'\", \"mean "
       "square lambda:rod\""},
      {"--check", &a->check, "compare result and cost with Richardson differences of runs at tighter tolerances"}};
  return {"sensitivities", "computes derivatives of a motion with respect to parameters and start values",
          problem_options(a->problem) + options, [a] { return sensitivities_of_mechanism(*a); },
          "\nExamples:\n"
          "  sensitivities pendulum --list\n"
          "  sensitivities pendulum --parameter rod.L --start-velocity bob[1] --rtol 1e-8 --check\n"
          "  sensitivities andrews --parameter model.c0 --formulation ggl --json\n"
          "  sensitivities pendulum --parameter rod.L --parameter mass.m --functional \"final bob[0]\" --check --html "
          "gradient.html\n"
          "  sensitivities pendulum --parameter rod.L --html sensitivities.html"};
}

}  // namespace sunlagrange::program
