#include <cmath>
#include <iostream>
#include <memory>

#include <fmt/core.h>

#include "commands.hpp"
#include "shared/record.hpp"
#include "shared/text.hpp"

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
  std::string line = "error against the reference " + text(r.error_vs_reference);
  if (!std::isnan(r.velocity_error_vs_reference)) line += ", of v " + text(r.velocity_error_vs_reference);
  if (!std::isnan(r.multiplier_error_vs_reference)) line += ", of lambda " + text(r.multiplier_error_vs_reference);
  print_wrapped(line + " (" + source + ")", output_width(false));
}

void print_observed(const std::vector<ObservedQuantity>& observed, const std::string& source) {
  for (const ObservedQuantity& o : observed) {
    if (std::isnan(o.value)) continue;
    std::string line = o.name + " " + text(o.value) + " " + o.unit;
    if (!std::isnan(o.error)) line += ", error " + text(o.error);
    if (o.compared > 0) {
      line += fmt::format("; at {} times: largest error {:g}, root mean square {:g}", o.compared, o.largest_error,
                          o.rms_error);
    }
    print_wrapped(line + " (" + source + ")", output_width(false));
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
  if (!arguments.csv.empty()) write_file(arguments.csv, "", "--csv");  // refused before anything runs
  const RunRecord record = run_problem(problem, options);
  if (!arguments.csv.empty()) record.simulation.trajectory.write_csv(arguments.csv, *problem.mechanism.system);
  if (arguments.problem.json) {
    std::cout << document({record});
  } else {
    std::cout << problem.description() << "\n" << record.simulation.report.text(record.simulation.status);
    print_errors(record, problem.mechanism.reference_source);
    print_observed(record.observed, problem.mechanism.reference_source);
  }
  return exit_code({record});
}

}  // namespace

Command run_command() {
  const auto a = std::make_shared<RunArguments>();
  const std::vector<Option> options = {
      {"--formulation", &a->formulation, "a registered name", rule::show_default},
      {"--integrator", &a->integrator,
       "a registered name; automatic: cvode_bdf, ida or trapezoidal, as the formulation needs; table with --table",
       rule::show_default},
      {"--rtol", &a->rtol, "relative tolerance of adaptive integrators; default: " + text(Tolerances{}.rtol),
       rule::finite},
      {"--step", &a->step, "step of fixed-step integrators [s]", rule::finite},
      {"--csv", &a->csv, "write the trajectory to this file, also when the run failed"}};
  return {"run", "one mechanism, one formulation, one integrator", problem_options(a->problem) + options,
          [a] { return run(*a); }};
}

}  // namespace sunlagrange::bench
