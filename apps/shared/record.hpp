// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sunlagrange/simulation/checkpoint.hpp>

#include "shared/json.hpp"
#include "shared/problem.hpp"

namespace sunlagrange::program {

/// An observable of the mechanism and its reference; NaN: not known, or not reached.
struct ObservedQuantity {
  std::string name, unit;
  double value = Report::none;          ///< at t_end
  double error = Report::none;          ///< at t_end, |value - reference|
  double largest_error = Report::none;  ///< over the reference times of the run; needs every step recorded
  double rms_error = Report::none;      ///< over the same times
  int compared = 0;                     ///< number of these times
};

/// One run and its options.
struct RunRecord {
  SimulationOptions options;  ///< as requested, with the resolved integrator
  std::string mechanism;
  std::vector<std::string> notes;  ///< of the model file
  std::string linear_solver;       ///< resolved name
  bool fixed_step = false;
  bool baseline = false;  ///< another way to do it, for comparison: its failure is no failure of the program
  /// The formulation promises g (where there are only nonholonomic rows, psi), and no figure of the run denies it.
  bool holds_constraints = false;
  Simulation simulation;
  // Largest error at t_end over q, v, lambda, in their units; NaN: not known there, or not reached.
  double error_vs_reference = Report::none;  ///< positions
  double velocity_error_vs_reference = Report::none;
  double multiplier_error_vs_reference = Report::none;
  double cpu_seconds = Report::none;                ///< of the thread; see median_cpu_seconds()
  double cpu_seconds_with_estimate = Report::none;  ///< of run and companion
  std::vector<ObservedQuantity> observed;
  std::optional<RedundancyReport> mobility;  ///< of the start, if it was asked for
};

/// Returns true for fixed-step integrators, false for adaptive ones, "automatic" and unknown names.
bool is_fixed_step(const std::string& integrator);

/// Returns the integrator of a run; "automatic" stays if the formulation is not known.
std::string resolved_integrator(const SimulationOptions& options);

/// Fills the errors from the last state of the trajectory, if the problem has a reference at t_end and it was reached;
/// those of the observables also from all reference times that lie within a fully recorded trajectory.
void compare_with_reference(const Problem& problem, RunRecord& record);

/// Read and write checkpoints; null in a program that is built without files.
extern Checkpoint (*checkpoint_reader)(const std::string& file);
extern void (*checkpoint_writer)(const Checkpoint& checkpoint, const std::string& file);

/// Checkpoints of a run: the one it begins from and the file that it writes.
struct Checkpoints {
  std::optional<Checkpoint> resumed;  ///< empty: the run begins at the start
  std::string file;                   ///< written at the start, every half minute and at the end; empty: none
};

/// Runs the problem with `options`; its time excludes output and comparison. @throws Error as simulate()
RunRecord run_problem(const Problem& problem, SimulationOptions options, const Checkpoints& checkpoints = {});

/// Returns the CPU time of this thread so far [s].
double thread_cpu_seconds();

/// Fills the error of q from q at the end, computed by other means.
void compare_with_position(const Eigen::VectorXd& exact, RunRecord& record);

/// Limits on the repetitions of a run for its CPU time.
struct Repetitions {
  int most = 5;          ///< times in all
  double enough = 0.05;  ///< [s] spent: no more
};

/// Returns the median of `first`, the time of a run, and the times of repetitions by again().
double median_cpu_seconds(double first, const std::function<double()>& again, const Repetitions& repetitions = {});

/// Returns the records as JSON; values that do not apply or are not finite are null.
Json runs_json(const std::vector<RunRecord>& records);

/// Returns the document of --json: {"schema": 1, "runs": [...]}
std::string document(const std::vector<RunRecord>& records);

/// Returns exit_finished, exit_doubts or exit_numerical_failure.
int exit_code(const std::vector<RunRecord>& records);

}  // namespace sunlagrange::program
