#pragma once

#include <Eigen/Core>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// Rows that touch zero at (t, q, v) and do not cross it, as f^2 does where f = 0, 1 - cos(f), or the distance 0 of two
/// points: their gradient, of g in q and of psi in v, vanishes wherever they are satisfied, so that no multiplier can
/// hold the motion there. Two evaluations, or three with velocity rows; up to 11 more for each kind of rows where
/// gradients are small beside those nearby, and others for each such row that does not change its sign close by. Rows
/// that cross zero, off the constraints, at singular poses, where lengths are small beside the coordinates, or a moment
/// later (dead centres of drives), are none of those. Allocates.
/// @return finished, or model_error that names the rows. A point that the model declines says nothing
/// @throws whatever the model throws at (t, q, v)
Status check_degenerate_constraints(const MechanicalSystem& system, double t, const Eigen::VectorXd& q,
                                    const Eigen::VectorXd& v);

}  // namespace sunlagrange::internal
