#pragma once

#include <sunlagrange/simulation/simulate.hpp>

#include "sundials/stepper.hpp"

namespace sunlagrange::internal {

/// Replaces "automatic" and lists every invalid option at once. Events are checked by EventRunner.
SimulationOptions validated(const MechanicalSystem& system, const InitialState& given, SimulationOptions o);

/// The table of asked and used settings.
void describe_settings(const MechanicalSystem& system, const SimulationOptions& asked, const SimulationOptions& used,
                       Stepper& stepper, Report& report);

}  // namespace sunlagrange::internal
