// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/files/checkpoint_file.hpp>

#include "commands.hpp"
#include "shared/problem.hpp"
#include "shared/record.hpp"

/// sunlagrange: runs and analyses mechanisms and model files. Exit codes: shared/command.hpp.
int main(int argc, char** argv) {
  using namespace sunlagrange::program;
  model_file_reader = sunlagrange::read_mechanism;
  unit_reader = sunlagrange::number_with_unit;
  checkpoint_reader = sunlagrange::read_checkpoint;
  checkpoint_writer = sunlagrange::write_checkpoint;
  const auto program = [] {
    Program result{"sunlagrange", "Runs and analyses constrained mechanisms, registered ones and model files",
                   sunlagrange_commands(),
                   "\nExamples:\n"
                   "  sunlagrange list mechanisms\n"
                   "  sunlagrange run andrews\n"
                   "  sunlagrange run mechanism.json --html motion.html\n"
                   "  sunlagrange COMMAND --help        options and examples of one command\n\n"
                   "sunlagrange-bench compares formulations and integrators, and proves gains and steps.",
                   "sunlagrange-bench"};
    result.commands_of_other = {"compare",   "work-precision", "stability", "adaptive-vs-fixed",
                                "gain-scan", "certify",        "validate",  "campaign",
                                "scale",     "figures"};
    return result;
  };
  return program_main(program, argc, argv);
}
