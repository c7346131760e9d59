#pragma once

#include <memory>

#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange::internal {

/// The companion of a run, and how far the two lie apart. @param options  of the run, validated
ErrorEstimate estimated_error(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                              const SimulationOptions& options, const Simulation& run);

}  // namespace sunlagrange::internal
