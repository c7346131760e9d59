// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shared/record.hpp"

namespace sunlagrange::program {

/// Options that choose the runs of `compare`, `work-precision` and `scale`: formulations x integrators x accuracies on
/// one mechanism.
struct RunChoice {
  std::string formulations;  ///< a,b,c; empty: all
  std::string integrators;   ///< a,b,c; empty: usual_integrators, and the fixed-step ones if steps are given
  std::string rtols;
  std::string steps;  ///< steps of fixed-step integrators [s]; empty: no fixed-step runs
  std::vector<std::string> usual_integrators;
  bool automatic_too = false;  ///< without formulations: also the automatic choice of the library
};

/// Returns the options that set the choice. @param choice  with its defaults; must live as long as the command
std::vector<Option> choice_options(RunChoice& choice);

/// Returns the names of the adaptive integrators, in the order of the registry.
std::vector<std::string> adaptive_integrators();

/// Returns the options of every run, formulation by formulation; pairs that do not fit are left out.
/// @throws Error if a given name fits with nothing, or numbers do not fit the integrators
std::vector<SimulationOptions> chosen_runs(const RunChoice& choice, const ProblemArguments& arguments,
                                           const Problem& problem);

struct Measurement {
  bool baselines = false;   ///< true: after every run with ida also IDA with its default settings and as set by hand
  Repetitions repetitions;  ///< repetitions of every run for its CPU time
  Eigen::VectorXd reference_position;  ///< q at the end, if the mechanism has no reference; else empty
  unsigned threads = 1;                ///< runs at the same time
};

/// Runs all of them, until the program is interrupted. The records have the order of `runs`.
std::vector<RunRecord> measured(const Problem& problem, const std::vector<SimulationOptions>& runs,
                                const Measurement& how);

}  // namespace sunlagrange::program
