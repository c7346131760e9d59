// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <sunlagrange/formulation/options.hpp>

#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

/// Equations with a compliance are ordinary ones, also at singular poses: a motion through such a pose is right if it
/// is their solution. Integrates them anew between two samples, in shorter and shorter steps of the classical
/// Runge-Kutta method, and once more from a start that is moved by ten times the tolerances.
/// @param options   the gains are those in use; the formulation must be an ODE form without projection
/// @param weight    sqrt(M_ii), n: velocities are compared in this scale
/// @return true if the integrations converge, agree with the second sample, and do not depend on the moved start; false
/// also for other formulations
bool passage_converges(const std::shared_ptr<const MechanicalSystem>& system, const FormulationOptions& options,
                       const Eigen::VectorXd& weight, const PathSample& before, const PathSample& after);

}  // namespace sunlagrange::internal
