#pragma once

#include <string>

#include <CLI/CLI.hpp>

/// The subcommands of sunlagrange-bench. Each add_* declares one; its callback runs it and writes the exit code.
namespace sunlagrange::bench {

void add_list(CLI::App& program, int& exit_code);
void add_run(CLI::App& program, int& exit_code);
void add_compare(CLI::App& program, int& exit_code);
void add_figures(CLI::App& program, int& exit_code);
void add_stability(CLI::App& program, int& exit_code);
void add_adaptive_vs_fixed(CLI::App& program, int& exit_code);
void add_gain_scan(CLI::App& program, int& exit_code);
void add_validate(CLI::App& program, int& exit_code);

/// Figure 2 of [002] and its violation, for the command figures.
void draw_slider_crank_program(const std::string& folder, double t_end);

}  // namespace sunlagrange::bench
