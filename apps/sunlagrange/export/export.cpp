// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>

#include <sunlagrange/files/mechanism_file.hpp>
#include <sunlagrange/simulation/stepper.hpp>

#include "commands.hpp"
#include "export/figures.hpp"
#include "shared/problem.hpp"
#include "shared/record.hpp"

namespace sunlagrange::program {
namespace {

/// Returns the options of `run`, including --table; the step of a fixed-step method stays with --step of `run`.
void refuse_what_no_run_takes(const MechanismFile& file) {
  SimulationOptions options = file.options;
  if (options.step == 0.0 && is_fixed_step(resolved_integrator(options))) options.step = options.t_end - file.start.t;
  options.estimate_error = false;  // the estimate needs whole runs
  Stepper(file.system, file.start, options);
}

int write_model(const ProblemArguments& arguments, const std::string& formulation) {
  const Problem problem(arguments);
  MechanismFile file;
  file.name = problem.name;
  file.system = problem.mechanism.system;
  file.start = problem.mechanism.start;
  file.options = problem.options;
  if (!problem.from_file) file.summary = mechanisms::find_mechanism(problem.name).summary;
  if (!problem.from_file || !std::isnan(arguments.atol))
    set_tolerances(file.options, std::numeric_limits<double>::quiet_NaN(), arguments.atol);
  if (!formulation.empty()) set_formulation(file.options, formulation);
  const std::string text = mechanism_text(file);
  refuse_what_no_run_takes(file);
  std::cout << text;
  return exit_finished;
}

}  // namespace

Command export_command() {
  const auto a = std::make_shared<ProblemArguments>();
  const auto formulation = std::make_shared<std::string>();
  const auto schema = std::make_shared<bool>(false);
  std::vector<Option> options = problem_options(*a);
  const auto figures = std::make_shared<bool>(false);
  options.front().rules = rule::reads;  // --schema and --figures need no mechanism
  return {"export", "writes a mechanism as a model file, which the other commands read",
          options +
              std::vector<Option>{
                  {"--formulation", formulation.get(), "a registered name, alone or with an integrator, e.g. ggl/ida"},
                  {"--schema", schema.get(), "the JSON schema of model files instead"},
                  {"--figures", figures.get(), "the table of the figures of all results instead, as Markdown"}},
          [a, formulation, schema, figures] {
            if (*schema) std::cout << mechanism_schema();
            if (*figures) print_figures(std::cout);
            return *schema || *figures ? exit_finished : write_model(*a, *formulation);
          },
          "sunlagrange export n_four_bar_bodies --size 3 > mechanism.json\n"
          "sunlagrange run mechanism.json --formulation ggl"};
}

}  // namespace sunlagrange::program
