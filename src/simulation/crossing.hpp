// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include <sunlagrange/model/motion_state.hpp>

#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

/// Continues a motion beyond a singular pose without integrating through it: the quintic polynomial through two regular
/// states (q, v, v' each) is followed until the constraints are regular again, and the state there is projected onto
/// them. The error is that of the extrapolation, O(W^3 (W + D)^3) for a gap W behind a distance D.
///
/// @param before  a regular sample well before the singular pose
/// @param now     the newest sample, at its edge
/// @param level   relative smallest eigenvalue (PathSample::smallest) from which on the constraints count as regular
/// @return the state beyond, or nothing: no regular state within D / 2, or the projection moved too far
std::optional<MotionState> cross_singularity(const std::shared_ptr<const MechanicalSystem>& system,
                                             const LinearSolverOptions& options, const PathSample& before,
                                             const PathSample& now, double level, double t_end);

}  // namespace sunlagrange::internal
