#pragma once

#include <memory>
#include <vector>

#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange::internal {

/// Compares a run with its companion. @param options  of the run, validated. @param ends  [s] of its steps
ErrorEstimate estimated_error(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                              const SimulationOptions& options, const Simulation& run, const std::vector<double>& ends);

}  // namespace sunlagrange::internal
