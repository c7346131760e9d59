#include <exception>
#include <iostream>
#include <new>

#include <sunlagrange/base/status.hpp>

#include "commands.hpp"
#include "shared/interruption.hpp"
#include "shared/output.hpp"

namespace {

using namespace sunlagrange::bench;

int run_commands(int argc, char** argv) {
  const char* summary =
      "Benchmark mechanisms of sunlagrange: list, run, compare, figures, validate, gain-scan, "
      "stability, adaptive-vs-fixed";
  try {
    return run_command_line(summary,
                            {list_command(), run_command(), compare_command(), figures_command(), validate_command(),
                             gain_scan_command(), stability_command(), adaptive_vs_fixed_command()},
                            argc, argv);
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
