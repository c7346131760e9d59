#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shared/record.hpp"

namespace sunlagrange::program {

/// Formulations x integrators x accuracies on one mechanism, as typed: what `compare`, `work-precision` and `scale`
/// run.
struct RunChoice {
  std::string formulations;  ///< a,b,c; empty: all
  std::string integrators;   ///< a,b,c; empty: usual_integrators, with steps the fixed-step ones as well
  std::string rtols;
  std::string steps;  ///< of fixed-step integrators [s]; empty: none of these run
  std::vector<std::string> usual_integrators;
  bool automatic_too = false;  ///< where no formulations are typed: what the library chooses, as well
};

/// The options that fill it in. @param choice  with its defaults; must live as long as the command
std::vector<Option> choice_options(RunChoice& choice);

/// Names of the integrators that choose their steps, in the order of the registry.
std::vector<std::string> adaptive_integrators();

/// Options of every run, formulation by formulation; pairs that do not fit are left out.
/// @throws Error if a name that was typed fits with nothing, or numbers do not fit the integrators
std::vector<SimulationOptions> chosen_runs(const RunChoice& choice, const ProblemArguments& arguments,
                                           const Problem& problem);

struct Measurement {
  bool baselines = false;              ///< after every run with ida: IDA as shipped and as set by hand
  Repetitions repetitions;             ///< of every run, for its CPU time
  Eigen::VectorXd reference_position;  ///< q at the end where the mechanism has no reference of its own; else empty
};

/// Runs them all, one after the other, until the program is interrupted.
std::vector<RunRecord> measured(const Problem& problem, const std::vector<SimulationOptions>& runs,
                                const Measurement& how);

}  // namespace sunlagrange::program
