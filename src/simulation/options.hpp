#pragma once

#include <sunlagrange/simulation/simulate.hpp>

#include "events/runner.hpp"
#include "integrators/stepper.hpp"

namespace sunlagrange::internal {

/// Replaces "automatic" and lists every invalid option at once. Events are checked by EventRunner.
SimulationOptions validated(const MechanicalSystem& system, const InitialState& given, SimulationOptions o);

/// What the events of a run need of validated options.
EventOptions event_options(const SimulationOptions& o);

/// SimulationOptions::max_step, also where it was automatic, of a run from t_start on; 0: steps are fixed.
double longest_step(const SimulationOptions& o, double t_start);

/// Of explicit methods with fixed steps; null: the integrator is none. It belongs to the options or to the registry.
const ButcherTable* fixed_step_table(const SimulationOptions& o);

/// Of a one-step method, the user's table among them; 0: another.
int one_step_order(const SimulationOptions& o);

/// What a run with this stepper uses.
RunFacts facts_of(const MechanicalSystem& system, const SimulationOptions& asked, const SimulationOptions& used,
                  IntegratorStepper& stepper);

}  // namespace sunlagrange::internal
