// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/files/checkpoint_file.hpp>

#include "commands.hpp"
#include "report/analyses.hpp"
#include "shared/problem.hpp"
#include "shared/record.hpp"
#include "sunlagrange/commands.hpp"
#include "validate/validated_value.hpp"

namespace {

using namespace sunlagrange::program;

#if SUNLAGRANGE_BENCH_PART >= 3
std::vector<Command> pages_of_analyses() {
  return {modes_command(), equilibrium_command(), kinematics_command(), workspace_command(), sensitivities_command()};
}
#endif

/// The parts are explained in benchmarks/CMakeLists.txt.
Program bench() {
  CommandGroup comparisons{"Compare formulations and integrators", {compare_command()}};
  CommandGroup proofs{"Check gains, steps and results", {}};
  CommandGroup pictures{"Reports and pictures", {}};
  std::vector<Command> moved = {list_command(), run_command()};
#if SUNLAGRANGE_BENCH_PART >= 2
  proofs.commands.push_back(validate_command());
  pictures.commands.push_back(figures_command());
  comparisons.commands.push_back(work_precision_command());
  comparisons.commands.push_back(scale_command());
  comparisons.commands.push_back(adaptive_vs_fixed_command());
  proofs.commands.push_back(stability_command());
  pictures.commands.push_back(report_command());
#endif
#if SUNLAGRANGE_BENCH_PART >= 3
  proofs.commands.push_back(gain_scan_command());
  proofs.commands.push_back(certify_command());
  proofs.commands.push_back(campaign_command());
  moved.clear();
  for (CommandGroup& group : sunlagrange_commands()) {
    for (Command& command : group.commands) {
      if (command.name != std::string("report")) moved.push_back(std::move(command));
    }
  }
  model_file_reader = sunlagrange::read_mechanism;
  unit_reader = sunlagrange::number_with_unit;
  checkpoint_reader = sunlagrange::read_checkpoint;
  checkpoint_writer = sunlagrange::write_checkpoint;
  analyses_validator = validate_analyses;
  analysis_commands = pages_of_analyses;
#endif
  return {"sunlagrange-bench",
          "Compares formulations and integrators on mechanisms, and proves gains and steps",
          {std::move(comparisons), std::move(proofs), std::move(pictures)},
          "\nExamples:\n"
          "  sunlagrange-bench compare pendulum\n"
          "  sunlagrange-bench work-precision andrews\n"
          "  sunlagrange-bench COMMAND --help  options and examples of one command\n\n"
          "sunlagrange runs and analyses one mechanism or model file, and lists what there is.",
          "sunlagrange",
          std::move(moved)};
}

}  // namespace

/// sunlagrange-bench: compares formulations and integrators, and proves gains and steps. Exit codes:
/// shared/command.hpp.
int main(int argc, char** argv) {
  return program_main(bench, argc, argv);
}
