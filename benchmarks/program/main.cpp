#include <exception>
#include <iostream>
#include <new>
#include <vector>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/files/checkpoint_file.hpp>

#include "commands.hpp"
#include "report/analyses.hpp"
#include "shared/interruption.hpp"
#include "shared/output.hpp"
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

int run_commands(int argc, char** argv) {
  try {
    std::vector<Command> commands = {list_command(), run_command(), compare_command(), figures_command(),
                                     validate_command()};
#if SUNLAGRANGE_BENCH_PART >= 2  // see benchmarks/CMakeLists.txt
    commands.push_back(work_precision_command());
    commands.push_back(scale_command());
    commands.push_back(stability_command());
    commands.push_back(adaptive_vs_fixed_command());
    commands.push_back(report_command());
#endif
#if SUNLAGRANGE_BENCH_PART >= 3
    commands.push_back(gain_scan_command());
    commands.push_back(certify_command());
    commands.push_back(campaign_command());
    commands.push_back(study_command());
    commands.push_back(export_command());
#ifdef SUNLAGRANGE_PROGRAM_WITH_IMPORT
    commands.push_back(import_command());
#endif
    for (Command& command : pages_of_analyses()) commands.push_back(std::move(command));
    commands.push_back(identify_command());
    model_file_reader = sunlagrange::read_mechanism;
    checkpoint_reader = sunlagrange::read_checkpoint;
    checkpoint_writer = sunlagrange::write_checkpoint;
    analyses_validator = validate_analyses;
    analysis_commands = pages_of_analyses;
#endif
    return run_command_line("Benchmark mechanisms of sunlagrange", commands, argc, argv);
  } catch (const sunlagrange::Error& error) {
    std::cerr << "sunlagrange-bench: " << error.what() << "\n";
    return exit_wrong_usage;
  } catch (const std::bad_alloc&) {
    std::cerr << "sunlagrange-bench: out of memory\n";
    return exit_trouble;
  } catch (const std::exception& error) {
    std::cerr << "sunlagrange-bench: " << error.what() << "\n";
    return exit_trouble;
  }
}

}  // namespace

/// sunlagrange-bench: list what is registered, run one mechanism, compare formulations and integrators, scan gains.
/// Exit codes: command.hpp.
int main(int argc, char** argv) {
  protect_standard_streams();
  catch_interruptions();
  const int code = run_commands(argc, argv);
  if (!flush_stdout()) return exit_trouble;
  if (!interrupted() || code == exit_trouble) return code;
  std::cerr << "sunlagrange-bench: interrupted; what there was is written\n";
  return exit_interrupted;
}
