#include <iostream>
#include <memory>

#include "commands.hpp"
#include "compare/comparison_table.hpp"
#include "parts/hand_set_ida.hpp"
#include "parts/run_choice.hpp"
#include "shared/table.hpp"

namespace sunlagrange::program {
namespace {

struct CompareArguments {
  ProblemArguments problem;
  RunChoice choice;
  bool no_baselines = false;
  bool wide = false;
};

int compare(const CompareArguments& arguments) {
  const Problem problem(arguments.problem);
  Measurement how;
  how.baselines = !arguments.no_baselines && baselines_make_sense(problem);
  const std::vector<RunRecord> records =
      measured(problem, chosen_runs(arguments.choice, arguments.problem, problem), how);
  if (arguments.problem.json)
    std::cout << document(records);
  else
    print_comparison(problem, records, output_width(arguments.wide));
  return exit_code(records);
}

}  // namespace

Command compare_command() {
  const auto a = std::make_shared<CompareArguments>();
  a->choice.rtols = "1e-4,1e-6,1e-8,1e-10";
  a->choice.usual_integrators = {"cvode_bdf", "cvode_adams", "dopri5", "ida"};
  const std::vector<Option> options = {
      {"--no-baselines", &a->no_baselines,
       "leave out the rows \"ida stock\" (IDA with its default settings on the same residual) and \"ida masks\" (masks "
       "and iteration limits set by hand); they stop at 20 times the steps of the library's run, and are always left "
       "out beyond 100 unknowns"},
      wide_option(a->wide)};
  return {"compare", "compares formulations, integrators and accuracies on one mechanism",
          problem_options(a->problem) + choice_options(a->choice) + options, [a] { return compare(*a); },
          "\nExamples:\n"
          "  compare andrews                     every formulation, four tolerances\n"
          "  compare pendulum --formulations baumgarte,ggl --rtols 1e-6\n"
          "  compare pendulum --formulations baumgarte,penalty --steps 1e-2,1e-3\n"
          "  compare pendulum --json > pendulum.json"};
}

}  // namespace sunlagrange::program
