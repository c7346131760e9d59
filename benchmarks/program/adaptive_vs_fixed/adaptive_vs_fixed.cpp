// SPDX-License-Identifier: BSD-3-Clause
#include "adaptive_vs_fixed/adaptive_vs_fixed.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include <sunlagrange/simulation/violation_bound.hpp>

#include "commands.hpp"
#include "parts/end_reference.hpp"
#include "parts/used_gains.hpp"
#include "shared/interruption.hpp"
#include "shared/output.hpp"
#include "shared/progress.hpp"
#include "shared/quantile.hpp"
#include "shared/text.hpp"

namespace sunlagrange::program {
namespace {

struct Arguments {
  ProblemArguments problem;
  std::string formulations;
  std::string integrators = "cvode_bdf,cvode_adams,dopri5,ida,rk1,rk2,rk3,rk4";
  std::string errors = "1e-5";
  std::string violations = "1e-8";
  std::string gain_factors = "1,30";
  long most_steps = 50000;
  int repetitions = 3;
  int run_steps = 200;
  std::string csv;
  Pictures pictures;
  bool wide = false;
};

struct Pair {
  std::string formulation;
  std::string integrator;
};

std::vector<Pair> chosen_pairs(const Arguments& arguments, const Problem& problem) {
  std::vector<std::string> forms;
  const bool typed = !arguments.formulations.empty();
  if (typed) {
    forms = split_list(arguments.formulations, "--formulations");
  } else {
    for (const FormulationInfo& entry : formulations()) {
      if (entry.name != "extended_lagrangian") forms.emplace_back(entry.name);  // is baumgarte with constant gains
    }
  }
  const std::vector<std::string> methods = split_list(arguments.integrators, "--integrators");
  for (const std::string& method : methods) {
    if (method == "table")
      throw Error("--integrators: table cannot be compared; the fixed-step methods are rk1 ... rk4");
  }
  std::vector<Pair> pairs;
  for (const std::string& form : forms) {
    const std::size_t before = pairs.size();
    for (const std::string& method : methods) {
      if (objection(form, *problem.mechanism.system, method).empty()) {
        pairs.push_back({form, method});
      }
    }
    if (typed && pairs.size() == before) throw Error("--formulations: " + form + " fits with none of the integrators");
  }
  if (pairs.empty()) throw Error("no formulation fits with these integrators");
  return pairs;
}

void measure_steps(Contestant& c) {
  const Trajectory& path = c.record.simulation.trajectory;
  std::vector<double> steps;
  for (std::size_t k = 1; k < path.size(); ++k) {
    if (path.t(k) > path.t(k - 1)) steps.push_back(path.t(k) - path.t(k - 1));
  }
  if (steps.empty()) return;
  std::sort(steps.begin(), steps.end());
  c.smallest_step = steps.front();
  c.median_step = quantile(steps, 0.5);
  c.largest_step = steps.back();
}

/// Repeats the runs of all contestants in turn, so that a disturbance of the machine affects all of them.
void measure_times(const Problem& problem, Heat& heat, int repetitions) {
  std::vector<std::vector<double>> times(heat.contestants.size());
  for (int k = 0; k < repetitions; ++k) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      Contestant& c = heat.contestants[i];
      if (!c.reached) continue;
      SimulationOptions options = c.record.options;
      options.record = Record::ends_only;
      const RunRecord again = run_problem(problem, options);
      times[i].push_back(again.cpu_seconds);
      const double wall = again.simulation.report.wall_seconds;
      c.wall_seconds = k == 0 ? wall : std::min(c.wall_seconds, wall);
    }
  }
  for (std::size_t i = 0; i < times.size(); ++i) heat.contestants[i].cpu_seconds = median(std::move(times[i]));
  const auto unit_of = [&](const std::string& integrator) {
    return std::find_if(heat.contestants.begin(), heat.contestants.end(),
                        [&](const Contestant& c) { return c.reached && c.integrator == integrator; });
  };
  auto unit = unit_of("rk4");
  if (unit == heat.contestants.end()) unit = unit_of("dopri5");
  if (unit == heat.contestants.end()) {
    unit =
        std::find_if(heat.contestants.begin(), heat.contestants.end(), [](const Contestant& c) { return c.reached; });
  }
  if (unit == heat.contestants.end()) return;
  heat.time_unit = unit->formulation + " " + unit->integrator;
  const double one = unit->cpu_seconds;
  for (Contestant& c : heat.contestants) c.time_ratio = c.cpu_seconds / one;
}

Heat run_heat(const Problem& problem, const Section& section, const std::vector<Pair>& pairs,
              std::vector<AccuracySearch>& searches, Measure measure, double target, int repetitions, Tally& tally) {
  Heat heat;
  heat.measure = measure;
  heat.target = target;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Contestant c;
    c.formulation = pairs[i].formulation;
    c.integrator = pairs[i].integrator;
    c.fixed_step = is_fixed_step(c.integrator);
    tally.next(fmt::format("{}, {}, {} {:g}", c.formulation, c.integrator,
                           measure == Measure::error ? "error" : "violation", target));
    if (const RunRecord* found = searches[i].cheapest(measure, target)) {
      c.reached = true;
      c.record = *found;
      c.record.options.record = Record::every_step;
      c.record.simulation.trajectory =
          simulate(problem.mechanism.system, problem.mechanism.start, c.record.options).trajectory;
      measure_steps(c);
      c.median_over_certified = c.median_step / section.yardstick(c.formulation);
    }
    heat.contestants.push_back(std::move(c));
  }
  measure_times(problem, heat, repetitions);
  return heat;
}

/// Returns the problem with faster or slower feedback.
Problem with_gains(const Problem& problem, double factor) {
  Problem scaled = problem;
  if (factor == 1.0) return scaled;
  const std::optional<Gains> used = used_gains(problem, "baumgarte");
  if (!used) return scaled;
  const MechanicalSystem& system = *problem.mechanism.system;
  const auto times = [](const Gain& gain, int m, double by) {
    if (m == 0) return gain;
    const GainMatrix matrix = gain.matrix(m, "gain", true);
    if (!matrix.is_diagonal()) return Gain(Eigen::MatrixXd(by * matrix.full));
    const Eigen::VectorXd diagonal = by * matrix.diagonal;
    return Gain(std::vector<double>(diagonal.begin(), diagonal.end()));
  };
  scaled.options.gains.K_D = times(used->K_D, system.num_position_constraints(), factor);
  scaled.options.gains.K_P = times(used->K_P, system.num_position_constraints(), factor * factor);
  scaled.options.gains.K_N = times(used->K_N, system.num_velocity_constraints(), factor);
  return scaled;
}

/// Returns the pairs whose formulation depends on the gains; the results of the others do not change with the gains.
std::vector<Pair> with_limits(const std::vector<Pair>& pairs, const Section& section) {
  std::vector<Pair> kept;
  for (const Pair& pair : pairs) {
    const auto& all = section.limits;
    if (std::any_of(all.begin(), all.end(), [&](const StepLimit& l) { return l.formulation == pair.formulation; })) {
      kept.push_back(pair);
    }
  }
  return kept;
}

Section run_section(const Problem& problem, const Arguments& arguments, const std::vector<Pair>& all, double factor,
                    const Eigen::VectorXd& reference, double largest_error, Tally& tally) {
  Section section;
  section.gain_factor = factor;
  const std::optional<Gains> used = used_gains(problem, "baumgarte");
  if (used) section.gains = "K_D = " + used->K_D.text() + ", K_P = " + used->K_P.text();
  std::string form = "baumgarte";  // included always, because Section::yardstick needs it
  if (used) section.certified_violation = certified_violation(problem, law_of(*problem.mechanism.system, *used));
  section.violation_bound = fixed_step_violation_bound(form);
  tally.next("largest fixed steps");
  section.limits = step_limits(problem, form, arguments.run_steps);
  for (const Pair& pair : all) {
    if (pair.formulation == form || pair.formulation == "baumgarte") continue;
    form = pair.formulation;
    if (formulation(form).equations != Equations::ode) continue;
    for (const StepLimit& limit : step_limits(problem, form, arguments.run_steps)) section.limits.push_back(limit);
  }
  const std::vector<Pair> pairs = factor == 1.0 ? all : with_limits(all, section);
  SearchLimits limits;
  limits.most_steps = arguments.most_steps;
  limits.largest_error = largest_error;
  std::vector<AccuracySearch> searches;
  for (const Pair& pair : pairs) {
    SimulationOptions options = problem.options;
    options.formulation = pair.formulation;
    options.integrator = pair.integrator;
    searches.emplace_back(problem, options, reference, limits);
  }
  const std::vector<double> errors = number_list(arguments.errors, "--errors");
  const auto run_heats = [&](Measure measure, const std::vector<double>& values) {
    for (const double target : values) {
      Heat heat;
      if (completed([&] {
            heat = run_heat(problem, section, pairs, searches, measure, target, arguments.repetitions, tally);
          }))
        section.heats.push_back(std::move(heat));
    }
  };
  run_heats(Measure::error, errors);
  run_heats(Measure::violation, number_list(arguments.violations, "--violations"));
  section.middle_heat = std::min(errors.size(), std::max<std::size_t>(section.heats.size(), 1) - 1) / 2;
  return section;
}

int adaptive_vs_fixed(const Arguments& arguments) {
  const Problem problem(arguments.problem);
  const bool program = !problem.mechanism.system->motion_law().has_forces;
  if (program || problem.mechanism.system->num_position_constraints() == 0) {
    throw Error("adaptive-vs-fixed compares formulations of mechanisms with constraints on positions; " + problem.name +
                (program ? " is a kinematic program (see the command stability)" : " has none"));
  }
  if (problem.options.table.has_value()) throw Error("--table: the fixed-step methods compared are rk1 ... rk4");
  if (arguments.most_steps < 100) throw Error("--most-steps: at least 100");
  if (arguments.repetitions < 1) throw Error("--repeat: at least 1");
  if (arguments.run_steps < 4) throw Error("--run-steps: at least 4");
  const std::vector<double> errors = positive_list(arguments.errors, "--errors");
  positive_list(arguments.violations, "--violations");  // checked before anything runs
  const std::vector<double> factors = positive_list(arguments.gain_factors, "--gain-factors");
  const std::vector<Pair> pairs = chosen_pairs(arguments, problem);
  if (!arguments.pictures.folder.empty()) make_folder(arguments.pictures.folder);
  std::optional<OutputFile> file;
  if (!arguments.csv.empty()) file.emplace(arguments.csv, "--csv");

  Comparison comparison;
  comparison.mechanism = problem.name;
  comparison.description = problem.description();
  comparison.largest_error = *std::max_element(errors.begin(), errors.end());
  const EndReference reference = end_reference(problem);
  comparison.reference_source = reference.source;
  const std::size_t heats = errors.size() + positive_list(arguments.violations, "--violations").size();
  std::optional<Tally> tally(std::in_place, factors.size() * (1 + heats * pairs.size()));
  for (const double factor : factors) {
    if (!reference.found()) break;
    Section section;
    completed([&] {
      section = run_section(with_gains(problem, factor), arguments, pairs, factor, reference.q,
                            comparison.largest_error, *tally);
    });
    if (section.heats.empty()) break;                         // interrupted
    if (section.heats.front().contestants.empty()) continue;  // no formulation chosen has gains
    comparison.sections.push_back(std::move(section));
  }
  tally.reset();
  if (comparison.sections.empty() && reference.found() && !interrupted())
    throw Error("--gain-factors: no formulation chosen has gains; add the factor 1");
  if (arguments.problem.json)
    std::cout << document(comparison);
  else
    print(comparison, output_width(arguments.wide));
  if (file) {
    file->stream() << csv(comparison);
    file->commit();
  }
  if (!arguments.pictures.folder.empty() && reference.found() && !interrupted()) draw(comparison, arguments.pictures);
  return reference.found() ? exit_finished : exit_numerical_failure;
}

}  // namespace

StepLimit Section::limit(const std::string& formulation, const std::string& integrator) const {
  for (const StepLimit& l : limits) {
    if (l.formulation == formulation && l.integrator == integrator) return l;
  }
  return {formulation, integrator};
}

double Section::yardstick(const std::string& formulation) const {
  const double own = limit(formulation, "rk4").certified;
  return std::isfinite(own) ? own : limit("baumgarte", "rk4").certified;
}

Command adaptive_vs_fixed_command() {
  const auto a = std::make_shared<Arguments>();
  const unsigned shown = rule::show_default;
  const std::vector<Option> options = {
      {"--formulations", &a->formulations,
       "names a,b,c; default: all that fit but extended_lagrangian, which is baumgarte with constant gains"},
      {"--integrators", &a->integrators, "names a,b,c", shown},
      {"--errors", &a->errors, "targets for the error of q at the end, in units of q", shown},
      {"--violations", &a->violations, "targets for max|g|, in units of g", shown},
      {"--gain-factors", &a->gain_factors, "factors on the rates of the gains; there is a comparison for each", shown},
      {"--most-steps", &a->most_steps, "most steps of one run; a target that needs more is not reached", shown},
      {"--repeat", &a->repetitions, "repetitions of each run; its CPU time is the median", shown},
      {"--run-steps", &a->run_steps, "steps of a run that observes stability", shown},
      {"--csv", &a->csv, "write all tables to this file", rule::writes},
      wide_option(a->wide)};
  return {"adaptive-vs-fixed", "compares adaptive runs with fixed steps and their certified limits at equal accuracy",
          problem_options(a->problem) + options + picture_options(a->pictures), [a] { return adaptive_vs_fixed(*a); },
          "\nExamples:\n"
          "  adaptive-vs-fixed pendulum --formulations baumgarte,ggl --errors 1e-4\n"
          "  adaptive-vs-fixed pendulum --out headline                      with pictures, half a minute"};
}

}  // namespace sunlagrange::program
