#pragma once

#include <sunlagrange/simulation/simulate.hpp>

#include "files/json_parameters.hpp"

/// What a model file may say about its runs.
namespace sunlagrange::internal {

/// @throws Error
void read_options(SimulationOptions& options, Fields fields);

/// Those that differ from the defaults, and the end of the run.
Json options_json(const SimulationOptions& options);

/// Their place in the schema.
Json options_schema();

}  // namespace sunlagrange::internal
