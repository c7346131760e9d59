#include <exception>
#include <iostream>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "shared/problem.hpp"

/// sunlagrange-bench: list what is registered, run one mechanism, compare formulations and integrators, scan gains.
/// Exit code 0: every run finished; 3: at least one numerical failure, reported; 2: wrong usage, message on stderr;
/// 1: trouble of the machine (no gnuplot, no memory).
int main(int argc, char** argv) {
  using namespace sunlagrange::bench;
  CLI::App program(
      "Benchmark mechanisms of sunlagrange: list, run, compare, figures, validate, gain-scan, "
      "stability, adaptive-vs-fixed");
  program.require_subcommand(1);
  int exit_code = exit_finished;
  add_list(program, exit_code);
  add_run(program, exit_code);
  add_compare(program, exit_code);
  add_figures(program, exit_code);
  add_validate(program, exit_code);
  add_gain_scan(program, exit_code);
  add_stability(program, exit_code);
  add_adaptive_vs_fixed(program, exit_code);
  try {
    program.parse(argc, argv);
    return exit_code;
  } catch (const CLI::ParseError& error) {
    return program.exit(error, std::cout, std::cerr) == 0 ? exit_finished : exit_wrong_usage;
  } catch (const sunlagrange::Error& error) {
    std::cerr << "sunlagrange-bench: " << error.what() << "\n";
    return exit_wrong_usage;
  } catch (const std::exception& error) {
    std::cerr << "sunlagrange-bench: " << error.what() << "\n";
    return 1;
  }
}
