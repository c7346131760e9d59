// SPDX-License-Identifier: BSD-3-Clause
#include "parts/run_choice.hpp"

#include <algorithm>

#include "parts/hand_set_ida.hpp"
#include "shared/interruption.hpp"
#include "shared/parallel.hpp"
#include "shared/progress.hpp"
#include "shared/text.hpp"

namespace sunlagrange::program {
namespace {

bool fits(const MechanicalSystem& system, const std::string& form, const std::string& method) {
  return objection(form, system, method).empty();
}

std::vector<std::string> chosen_formulations(const RunChoice& choice) {
  std::vector<std::string> names;
  if (!choice.formulations.empty()) return split_list(choice.formulations, "--formulations");
  for (const FormulationInfo& entry : formulations()) names.emplace_back(entry.name);
  if (choice.automatic_too) names.emplace_back("automatic");
  return names;
}

std::vector<std::string> chosen_integrators(const RunChoice& choice, bool table) {
  if (!choice.integrators.empty()) {
    const std::vector<std::string> names = split_list(choice.integrators, "--integrators");
    const auto fixed = std::count_if(names.begin(), names.end(), is_fixed_step);
    if (fixed > 0 && choice.steps.empty())
      throw Error("--steps: the fixed-step integrators of --integrators need steps");
    if (fixed == 0 && !choice.steps.empty()) throw Error("--steps: --integrators has no fixed-step integrator");
    const bool table_chosen = std::count(names.begin(), names.end(), "table") > 0;
    if (table && !table_chosen) throw Error("--table: --integrators does not name table");
    if (!table && table_chosen) throw Error("--integrators: table needs --table FILE");
    return names;
  }
  if (table && choice.steps.empty()) throw Error("--steps: the table of --table needs fixed steps");
  std::vector<std::string> names = choice.usual_integrators;
  if (!choice.steps.empty()) {
    for (const IntegratorInfo& entry : integrators()) {
      if (entry.fixed_step && (table || entry.name != "table")) names.emplace_back(entry.name);
    }
  }
  return names;
}

/// Refuses a given name that fits with nothing. @throws Error
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

}  // namespace

std::vector<Option> choice_options(RunChoice& choice) {
  return {{"--formulations", &choice.formulations, "names a,b,c, or automatic; default: all"},
          {"--integrators", &choice.integrators,
           "names a,b,c; default: those that fit among " + joined(choice.usual_integrators)},
          {"--rtols", &choice.rtols, "relative tolerances of adaptive integrators", rule::show_default},
          {"--steps", &choice.steps, "steps of fixed-step integrators [s]; default: none"}};
}

std::vector<std::string> adaptive_integrators() {
  std::vector<std::string> names;
  for (const IntegratorInfo& entry : integrators()) {
    if (!entry.fixed_step) names.emplace_back(entry.name);
  }
  return names;
}

std::vector<SimulationOptions> chosen_runs(const RunChoice& choice, const ProblemArguments& arguments,
                                           const Problem& problem) {
  const MechanicalSystem& system = *problem.mechanism.system;
  const std::vector<std::string> forms = chosen_formulations(choice);
  const std::vector<std::string> methods = chosen_integrators(choice, !arguments.table.empty());
  const std::vector<double> rtols = number_list(choice.rtols, "--rtols");
  std::vector<double> steps;
  if (!choice.steps.empty()) steps = number_list(choice.steps, "--steps");
  require_partners(forms, methods, !choice.formulations.empty(), "--formulations",
                   [&](const std::string& f, const std::string& i) { return fits(system, f, i); });
  require_partners(methods, forms, !choice.integrators.empty(), "--integrators",
                   [&](const std::string& i, const std::string& f) { return fits(system, f, i); });
  std::vector<SimulationOptions> runs;
  for (const std::string& form : forms) {
    for (const std::string& method : form == "automatic" ? std::vector<std::string>{form} : methods) {
      if (form != method && !fits(system, form, method)) continue;
      SimulationOptions options = problem.options_with(form);
      options.integrator = method;
      if (method != "table") options.table.reset();
      options.record = Record::ends_only;
      for (const double value : is_fixed_step(method) ? steps : rtols) {
        if (is_fixed_step(method)) {
          options.step = value;
        } else {
          set_tolerances(options, value, arguments.atol);
        }
        runs.push_back(options);
      }
    }
  }
  return runs;
}

std::vector<RunRecord> measured(const Problem& problem, const std::vector<SimulationOptions>& runs,
                                const Measurement& how) {
  std::vector<std::vector<RunRecord>> found(runs.size());
  Tally tally(runs.size());
  const auto measure = [&](std::size_t k) {
    const SimulationOptions& options = runs[k];
    const bool fixed = is_fixed_step(options.integrator);
    tally.next(problem.name + ", " + options.formulation + ", " + options.integrator + " " +
               short_number(fixed ? options.step : options.rtol));
    const auto add = [&](const std::function<RunRecord()>& run) {
      found[k].push_back(run());
      RunRecord& record = found[k].back();
      record.cpu_seconds = median_cpu_seconds(
          record.cpu_seconds, [&] { return run().cpu_seconds; }, how.repetitions);
      if (how.reference_position.size() > 0) compare_with_position(how.reference_position, record);
    };
    add([&] { return run_problem(problem, options); });
    if (!how.baselines || options.integrator != "ida") return;
    const Report& report = found[k].back().simulation.report;
    const HandLimits limits{std::max(2000L, 20L * report.steps), report.used.max_step};
    for (const HandSetting& setting : hand_settings(options.formulation)) {
      if (interrupted()) break;
      add([&] { return run_hand_set(problem, options, setting, limits); });
    }
  };
  in_parallel(runs.size(), how.threads, measure, [](std::size_t) {});
  std::vector<RunRecord> records;
  for (std::vector<RunRecord>& of_run : found) std::move(of_run.begin(), of_run.end(), std::back_inserter(records));
  return records;
}

}  // namespace sunlagrange::program
