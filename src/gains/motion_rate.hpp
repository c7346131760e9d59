#pragma once

#include <memory>

#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange::internal {

/// The fastest angular rate that the start shows [1/s], the scale of automatic gains; the largest of
///
///     r(v), sqrt(r(P a))                 how fast the normals of the constraints turn, r(x) = |x^T H_i| / |G_i| in the
///                                        norm of M^-1, H_i = second derivative of row i
///     sqrt(|x^T K x| / x^T M x)          oscillation (or escape) along the motion, x = P v and P a
///
/// with P x = (M + tau D + tau^2 K)^-1 M x on G x = 0, what is left of x after tau seconds of springs and dampers, K
/// and D = d(M a + G^T lambda - f)/d(q, v) and tau the time in which v and a themselves turn the normals: stiff modes,
/// which the steps of implicit methods pass over, are no part of the rate. M is lumped in the first line: row and
/// turned row are measured in the same coordinates, so that a light part does not hide the rate. Neither units of
/// coordinates, masses and rows nor the origin of the coordinates matter, and a mechanism that starts slowly near an
/// equilibrium shows its frequency. Kinematic programs: r(v) only. At least 1/t_span: a violation shall decay within
/// the interval, also where nothing turns or oscillates (straight constraints, no stiffness).
double motion_rate(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start, double t_span,
                   const LinearSolverOptions& linear_solver);

}  // namespace sunlagrange::internal
