#include <exception>
#include <iostream>
#include <vector>

#include <sunlagrange/base/status.hpp>

#include "commands.hpp"

/// sunlagrange-bench: list what is registered, run one mechanism, compare formulations and integrators, scan gains.
/// Exit code 0: every run finished; 3: at least one numerical failure, reported; 2: wrong usage, message on stderr;
/// 1: trouble of the machine (no gnuplot, no memory).
int main(int argc, char** argv) {
  using namespace sunlagrange::bench;
  try {
    std::vector<Command> commands = {list_command(), run_command(), compare_command(), figures_command(),
                                     validate_command()};
#ifdef SUNLAGRANGE_BENCH_WITH_THEORY
    commands.push_back(gain_scan_command());
    commands.push_back(stability_command());
    commands.push_back(adaptive_vs_fixed_command());
#endif
    return run_command_line("Benchmark mechanisms of sunlagrange", commands, argc, argv);
  } catch (const sunlagrange::Error& error) {
    std::cerr << "sunlagrange-bench: " << error.what() << "\n";
    return exit_wrong_usage;
  } catch (const std::exception& error) {
    std::cerr << "sunlagrange-bench: " << error.what() << "\n";
    return 1;
  }
}
