#pragma once

#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/doubt.hpp>
#include <sunlagrange/simulation/checkpoint.hpp>

namespace sunlagrange::internal {

/// What speaks against a run that reached its end: its figures against what its formulation promises at its tolerance.
/// The constants were calibrated on the registered mechanisms and on random ones, see docs/decisions/0016.
/// @param given_velocities  of the start, before it was made consistent; empty: not known
/// @param used  options, nothing automatic left but gains
std::vector<Doubt> doubts_about(const MechanicalSystem& system, const Report& report, const Observed& observed,
                                const Eigen::VectorXd& given_velocities, const SimulationOptions& used);

}  // namespace sunlagrange::internal
