#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "compare/comparison_table.hpp"
#include "compare/hand_set_ida.hpp"
#include "shared/interruption.hpp"
#include "shared/progress.hpp"

namespace sunlagrange::bench {
namespace {

struct CompareArguments {
  ProblemArguments problem;
  std::string formulations;
  std::string integrators;
  std::string rtols = "1e-4,1e-6,1e-8,1e-10";
  std::string steps;
  bool no_baselines = false;
  bool wide = false;
};

bool fits(const MechanicalSystem& system, const std::string& form, const std::string& method) {
  return objection(form, system, method).empty();
}

std::vector<std::string> chosen_formulations(const CompareArguments& arguments) {
  std::vector<std::string> names;
  if (!arguments.formulations.empty()) return split_list(arguments.formulations, "--formulations");
  for (const FormulationInfo& entry : formulations()) names.emplace_back(entry.name);
  return names;
}

/// Typed names, or the adaptive integrators, with --steps the fixed-step ones as well.
std::vector<std::string> chosen_integrators(const CompareArguments& arguments) {
  const bool table = !arguments.problem.table.empty();
  if (!arguments.integrators.empty()) {
    const std::vector<std::string> names = split_list(arguments.integrators, "--integrators");
    const auto fixed = std::count_if(names.begin(), names.end(), is_fixed_step);
    if (fixed > 0 && arguments.steps.empty()) throw Error("--steps: fixed-step integrators in --integrators need it");
    if (fixed == 0 && !arguments.steps.empty()) throw Error("--steps: --integrators has no fixed-step integrator");
    const bool table_chosen = std::count(names.begin(), names.end(), "table") > 0;
    if (table && !table_chosen) throw Error("--table: --integrators does not name table");
    if (!table && table_chosen) throw Error("--integrators: table needs --table FILE");
    return names;
  }
  if (table && arguments.steps.empty()) throw Error("--steps: the table of --table has fixed steps: needs them");
  std::vector<std::string> names = {"cvode_bdf", "cvode_adams", "dopri5", "ida"};
  if (!arguments.steps.empty()) {
    for (const IntegratorInfo& entry : integrators()) {
      if (entry.fixed_step && (table || entry.name != "table")) names.emplace_back(entry.name);
    }
  }
  return names;
}

/// Pairs that do not fit are left out; a name that was typed but fits with nothing is a mistake.
void require_partners(const std::vector<std::string>& names, const std::vector<std::string>& others, bool typed,
                      const std::string& option,
                      const std::function<bool(const std::string&, const std::string&)>& fit) {
  for (const std::string& name : names) {
    const bool has_partner =
        std::any_of(others.begin(), others.end(), [&](const std::string& other) { return fit(name, other); });
    if (typed && !has_partner) {
      throw Error(option + ": " + name + " fits with none of the chosen " +
                  (option == "--formulations" ? "integrators" : "formulations") +
                  " (ODE forms go with cvode_*, radau and Runge-Kutta methods, DAE forms with ida and radau, one-step "
                  "methods with "
                  "trapezoidal and --steps)");
    }
  }
}

/// Options of every run, in the order of the table.
std::vector<SimulationOptions> plan(const CompareArguments& arguments, const Problem& problem) {
  const MechanicalSystem& system = *problem.mechanism.system;
  const std::vector<std::string> forms = chosen_formulations(arguments);
  const std::vector<std::string> methods = chosen_integrators(arguments);
  const std::vector<double> rtols = number_list(arguments.rtols, "--rtols");
  std::vector<double> steps;
  if (!arguments.steps.empty()) steps = number_list(arguments.steps, "--steps");
  require_partners(forms, methods, !arguments.formulations.empty(), "--formulations",
                   [&](const std::string& f, const std::string& i) { return fits(system, f, i); });
  require_partners(methods, forms, !arguments.integrators.empty(), "--integrators",
                   [&](const std::string& i, const std::string& f) { return fits(system, f, i); });
  std::vector<SimulationOptions> runs;
  for (const std::string& form : forms) {
    for (const std::string& method : methods) {
      if (!fits(system, form, method)) continue;
      SimulationOptions options = problem.options_with(form);
      options.integrator = method;
      if (method != "table") options.table.reset();
      options.record = Record::ends_only;
      for (const double value : is_fixed_step(method) ? steps : rtols) {
        if (is_fixed_step(method)) {
          options.step = value;
        } else {
          set_tolerances(options, value, arguments.problem.atol);
        }
        runs.push_back(options);
      }
    }
  }
  return runs;
}

int compare(const CompareArguments& arguments) {
  const Problem problem(arguments.problem);
  const std::vector<SimulationOptions> runs = plan(arguments, problem);
  // IDA's own solver is dense with a difference-quotient Jacobian: hopeless for large systems
  constexpr int largest = 100;
  const MechanicalSystem& system = *problem.mechanism.system;
  const bool baselines = !arguments.no_baselines && system.num_positions() + system.num_constraints() <= largest;
  std::vector<RunRecord> records;
  std::optional<Tally> tally(std::in_place, runs.size());
  for (const SimulationOptions& options : runs) {
    if (interrupted()) break;
    const bool fixed = is_fixed_step(options.integrator);
    tally->next(problem.name + ", " + options.formulation + ", " + options.integrator + " " +
                short_number(fixed ? options.step : options.rtol));
    records.push_back(run_problem(problem, options));
    RunRecord& record = records.back();
    record.cpu_seconds = median_cpu_seconds(
        record.cpu_seconds, [&] { simulate(problem.mechanism.system, problem.mechanism.start, record.options); });
    if (!baselines || options.integrator != "ida") continue;
    const long limit = std::max(2000L, 20L * records.back().simulation.report.steps);
    for (const HandSetting& setting : hand_settings(options.formulation)) {
      if (interrupted()) break;
      records.push_back(run_hand_set(problem, options, setting, limit));
      records.back().cpu_seconds =
          median_cpu_seconds(records.back().cpu_seconds, [&] { run_hand_set(problem, options, setting, limit); });
    }
  }
  tally.reset();
  if (arguments.problem.json)
    std::cout << document(records);
  else
    print_comparison(problem, records, output_width(arguments.wide));
  return exit_code(records);
}

}  // namespace

Command compare_command() {
  const auto a = std::make_shared<CompareArguments>();
  const std::vector<Option> options = {
      {"--formulations", &a->formulations, "names a,b,c; default: all"},
      {"--integrators", &a->integrators, "names a,b,c; default: the adaptive ones that fit"},
      {"--rtols", &a->rtols, "relative tolerances, adaptive integrators", rule::show_default},
      {"--steps", &a->steps, "steps of fixed-step integrators [s]; default: none of these"},
      {"--no-baselines", &a->no_baselines,
       "leave out the rows \"ida stock\" (IDA as shipped on the same residual) and \"ida masks\" (masks and "
       "iteration limits set by hand); they stop at 20 times the steps of the library's run; always left out with klu"},
      wide_option(a->wide)};
  return {"compare", "one mechanism: formulations, integrators, accuracies", problem_options(a->problem) + options,
          [a] { return compare(*a); },
          "\nExamples:\n"
          "  compare andrews                     every formulation, four tolerances\n"
          "  compare pendulum --formulations baumgarte,ggl --rtols 1e-6\n"
          "  compare pendulum --formulations baumgarte,penalty --steps 1e-2,1e-3\n"
          "  compare pendulum --json > pendulum.json"};
}

}  // namespace sunlagrange::bench
