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
                 : "none of its elements has a member describe_parameters; give the model one, or differentiate by "
                   "start values, --start-position and --start-velocity";
}

int list_parameters(const SensitivitiesArguments& a, const Problem& problem) {
  const std::vector<SystemParameter> all = system_parameters(*problem.mechanism.system);
  if (a.problem.json) {
    Json json, parameters = Json::array();
    set(json, "schema", 1);
    set(json, "mechanism", problem.name);
    for (const SystemParameter& parameter : all) parameters.push_back(parameter_json(parameter));
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
    throw Error("--points, --no-error-control: of derivatives over time; --functional is one number, ask for one");
  if (!a.functional.empty()) return gradient_of_functional(a, problem, options);
  return sensitivities_along(a, problem, options);
}

}  // namespace

Json parameter_json(const SystemParameter& parameter) {
  Json json;
  set(json, "name", parameter.name);
  set(json, "value", parameter.value);
  set(json, "unit", parameter.unit);
  set(json, "meaning", parameter.meaning);
  return json;
}

Command sensitivities_command() {
  const auto a = std::make_shared<SensitivitiesArguments>();
  const std::vector<Option> options = {
      {"--parameter", &a->parameters,
       "differentiate by this one, by name, or by several together, body.m,weight.m; may stand several times"},
      {"--start-position", &a->start_positions, "by the start value of this coordinate"},
      {"--start-velocity", &a->start_velocities, "by the start value of this velocity"},
      {"--list", &a->list, "only list the names of the parameters"},
      {"--formulation", &a->formulation,
       "baumgarte, projected, penalty, unstabilized, ggl or stabilized_index1; default: that of a model file, or "
       "baumgarte"},
      {"--rtol", &a->rtol, "relative tolerance; default: " + text(Tolerances{}.rtol), rule::finite},
      {"--method",
       &a->method,
       "correct the sensitivities after the state, or together with it",
       rule::show_default,
       {"staggered", "simultaneous"}},
      {"--points", &a->points, "times of output, the ends among them; default: 2, with --html 201", rule::positive},
      {"--html", &a->html,
       "write a page to this file: curves of the derivatives, relative ones at the end; of a functional its gradient",
       rule::writes},
      {"--no-error-control", &a->no_error_control, "let the steps follow the motion alone"},
      {"--functional", &a->functional,
       "only the gradient of this number, by the adjoint: \"final x\", \"integral x'\", \"mean square lambda:rod\""},
      {"--check", &a->check, "compare with Richardson differences of runs at tighter tolerances, in result and cost"}};
  return {"sensitivities", "how a motion changes with parameters and start values",
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
