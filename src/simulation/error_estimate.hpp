// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include <sunlagrange/base/doubt.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange::internal {

/// Compares a run with its companion. @param options  of the run, validated. @param ends  [s] of its steps
ErrorEstimate estimated_error(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                              const SimulationOptions& options, const Simulation& run, const std::vector<double>& ends);

/// Returns the doubts that the estimate raises about a finished run.
std::vector<Doubt> doubts_about(const ErrorEstimate& estimate, const SimulationOptions& options, const Report& report);

}  // namespace sunlagrange::internal
