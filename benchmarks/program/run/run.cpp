#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>

#include "commands.hpp"
#include "shared/record.hpp"

namespace sunlagrange::bench {
namespace {

struct RunArguments {
  ProblemArguments problem;
  std::string formulation = "baumgarte";
  std::string integrator = "automatic";
  double rtol = std::numeric_limits<double>::quiet_NaN();
  double step = std::numeric_limits<double>::quiet_NaN();
  std::string csv;
};

/// Fixed-step integrators take a step, adaptive ones tolerances.
void set_accuracy(const RunArguments& arguments, SimulationOptions& options) {
  const std::string integrator = resolved_integrator(options);
  if (is_fixed_step(integrator)) {
    if (std::isnan(arguments.step)) throw Error("--step: the integrator " + integrator + " has fixed steps: needs one");
    if (!std::isnan(arguments.rtol) || !std::isnan(arguments.problem.atol)) {
      throw Error("--rtol, --atol: the fixed-step integrator " + integrator + " has no tolerances; use --step");
    }
    options.step = arguments.step;
    return;
  }
  if (!std::isnan(arguments.step)) {
    throw Error("--step: the integrator " + integrator + " chooses its steps; use --rtol, or rk1 ... rk4");
  }
  if (!std::isnan(arguments.rtol)) options.rtol = arguments.rtol;
  options.atol = std::isnan(arguments.problem.atol) ? options.rtol : arguments.problem.atol;
}

void print_errors(const RunRecord& r, const std::string& source) {
  if (std::isnan(r.error_vs_reference)) return;
  std::cout << "error against the reference " << text(r.error_vs_reference);
  if (!std::isnan(r.velocity_error_vs_reference)) std::cout << ", of v " << text(r.velocity_error_vs_reference);
  if (!std::isnan(r.multiplier_error_vs_reference)) {
    std::cout << ", of lambda " << text(r.multiplier_error_vs_reference);
  }
  std::cout << " (" << source << ")\n";
}

void print_observed(const std::vector<ObservedQuantity>& observed, const std::string& source) {
  for (const ObservedQuantity& o : observed) {
    if (std::isnan(o.value)) continue;
    std::cout << o.name << " " << text(o.value) << " " << o.unit;
    if (!std::isnan(o.error)) std::cout << ", error " << text(o.error);
    if (o.compared > 0) {
      std::cout << "; at " << o.compared << " times: largest error " << text(o.largest_error) << ", root mean square "
                << text(o.rms_error);
    }
    std::cout << " (" << source << ")\n";
  }
}

int run(const RunArguments& arguments) {
  const Problem problem(arguments.problem);
  SimulationOptions options = problem.options;
  options.formulation = arguments.formulation;
  options.integrator = arguments.integrator;
  const bool history = !problem.mechanism.observables.empty() && !problem.mechanism.reference_times.empty();
  options.record = arguments.csv.empty() && !history ? Record::ends_only : Record::every_step;
  set_accuracy(arguments, options);
  if (!arguments.csv.empty() && !std::ofstream(arguments.csv)) {
    throw Error("--csv: cannot write \"" + arguments.csv + "\"; check that the folder exists and is writable");
  }
  const RunRecord record = run_problem(problem, options);
  if (!arguments.csv.empty()) record.simulation.trajectory.write_csv(arguments.csv, *problem.mechanism.system);
  if (arguments.problem.json) {
    std::cout << document({record}).dump(2) << "\n";
  } else {
    std::cout << problem.description() << "\n" << record.simulation.report.text(record.simulation.status);
    print_errors(record, problem.mechanism.reference_source);
    print_observed(record.observed, problem.mechanism.reference_source);
  }
  return exit_code({record});
}

}  // namespace

void add_run(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("run", "one mechanism, one formulation, one integrator");
  const auto arguments = std::make_shared<RunArguments>();
  arguments->problem.add_to(*command);
  command->add_option("--formulation", arguments->formulation, "a registered name")->capture_default_str();
  command
      ->add_option(
          "--integrator", arguments->integrator,
          "a registered name; automatic: cvode_bdf, ida or trapezoidal, as the formulation needs; table with --table")
      ->capture_default_str();
  command
      ->add_option("--rtol", arguments->rtol,
                   "relative tolerance of adaptive integrators; default: " + text(Tolerances{}.rtol))
      ->check(finite());
  command->add_option("--step", arguments->step, "step of fixed-step integrators [s]")->check(finite());
  command->add_option("--csv", arguments->csv, "write the trajectory to this file, also when the run failed");
  command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace sunlagrange::bench
