#pragma once

#include <CLI/CLI.hpp>

/// The subcommands of sunlagrange-bench. Each add_* declares one; its callback runs it and writes the exit code.
namespace sunlagrange::bench {

void add_list(CLI::App& program, int& exit_code);
void add_run(CLI::App& program, int& exit_code);
void add_compare(CLI::App& program, int& exit_code);
void add_figures(CLI::App& program, int& exit_code);
void add_stability(CLI::App& program, int& exit_code);
void add_adaptive_vs_fixed(CLI::App& program, int& exit_code);

}  // namespace sunlagrange::bench
