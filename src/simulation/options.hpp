// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/simulation/simulate.hpp>

#include "events/runner.hpp"
#include "integrators/stepper.hpp"

namespace sunlagrange::internal {

/// Replaces "automatic" and lists every invalid option at once. Events are checked by EventRunner.
SimulationOptions validated(const MechanicalSystem& system, const InitialState& given, SimulationOptions o);

/// Returns the treatment of singular poses that is requested, or that AtSingularity::automatic stands for.
/// @param o  with the formulation and the linear solver of the run
AtSingularity resolved_treatment(AtSingularity requested, const MechanicalSystem& system, const SimulationOptions& o);

/// Returns the options that the events of a run need; `o` is validated.
EventOptions event_options(const SimulationOptions& o, const InputBinder* inputs = nullptr);

/// Fewest steps of a multistep method where their length is limited: no round number, for what begins and ends at round
/// times would lie between two steps.
constexpr double fewest_steps = 107.0;

/// Relative difference of two runs, or of times and parameters of a run, that is rounding: mathematical functions
/// differ from machine to machine, and no integrator takes a shorter step. Held by events_test and checkpoint_test.
constexpr double rounding_of_runs = 1e-12;

/// Part of a run that counts as near: what happened shortly before a failure, how far ahead of it the end of the
/// workspace is looked for. Held by infeasible_ahead_test.
constexpr double near_in_run = 1e-2;

/// Length of the longest steps of methods with stages over that of multistep methods.
constexpr double step_with_stages = 2.0;

/// Returns the longest step of a run from t_start on [s] if something may begin and end in it unseen (StepLimit), or
/// SimulationOptions::max_step; 0: steps are fixed.
double longest_step(const SimulationOptions& o, double t_start);

/// Returns the table of an explicit method with fixed steps, which belongs to the options or the registry; null: the
/// integrator is no such method.
const ButcherTable* fixed_step_table(const SimulationOptions& o);

/// Returns the order of an explicit method, also of the user's table, or the trapezoidal rule; 0: others.
int one_step_order(const SimulationOptions& o);

/// Returns the facts of a run with this stepper.
RunFacts facts_of(const MechanicalSystem& system, const SimulationOptions& requested, const SimulationOptions& used,
                  IntegratorStepper& stepper);

/// Returns gains that a formulation uses as it used these: the values take the place of automatic gains, for the active
/// rows. A gain that varies along the motion stays automatic.
Gains gains_in_use(const FormulationFacts& facts);

}  // namespace sunlagrange::internal
