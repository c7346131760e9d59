// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/simulation/simulate.hpp>

#include "files/json_parameters.hpp"

/// The options of runs in model files.
namespace sunlagrange::internal {

/// Reads options from the fields of an object. @throws Error if a field is unknown or out of range
void read_options(SimulationOptions& options, Fields fields);

/// Returns the options that differ from the defaults, and the end of the run.
Json options_json(const SimulationOptions& options);

/// Returns the schema of the options.
Json options_schema();

}  // namespace sunlagrange::internal
