// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange::internal {

/// Returns the fastest angular rate of the motion at its start [1/s], the scale of automatic gains. It is the largest
/// of
///
///     r(v), sqrt(r(P a))                 rate at which the normals of the rows turn, r(x) = |x^T H_i| / |G_i| on one
///                                        of the bodies that row i joins (RowsOnBodies), in the norm of its M^-1,
///                                        H_i = second derivative of row i
///     sqrt(|x^T K x| / x^T M x)          oscillation (or escape) along the motion, x = P v and P a
///
/// with P x = (M + tau D + tau^2 K)^-1 M x on G x = 0: the part of x that springs and dampers leave after the time tau,
/// with K and D = d(M a + G^T lambda - f)/d(q, v) and tau the time in which v and a turn the normals. Stiff modes,
/// which implicit methods step over, are therefore not part of the rate. M is lumped in the first line. The mass of a
/// body cancels there, so that a light part does not hide the rate. The rate depends neither on units nor on the origin
/// of the coordinates, and contains the frequency of a mechanism that starts slowly near an equilibrium. Kinematic
/// programs: r(v) only. It is at least 1/t_span, so that a violation decays within the interval also for straight
/// constraints without stiffness.
double motion_rate(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start, double t_span,
                   const LinearSolverOptions& linear_solver);

}  // namespace sunlagrange::internal
