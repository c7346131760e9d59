#pragma once

#include <memory>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/options.hpp>

namespace sunlagrange {

/// Characteristic magnitudes read off the start, used by error weights and automatic gains; maximum norms.
struct Scales {
  double position = 1.0;  ///< typical |q|: MotionState::typical_position, else max |q|
  double time = 1.0;      ///< T = min(q/|v0|, sqrt(q/|a0|), interval): how long the motion takes to cover |q| [s]
};

Scales characteristic_scales(const MotionState& start, double t_span);

/// The fastest angular rate that the start shows [1/s], the scale of automatic gains; the largest of
///
///     1 / T                                          of characteristic_scales
///     r(v), sqrt(r(a)),  r(x) = |x^T g_qq x| / (|G_i|_(M^-1) |x|_M)    how fast the normals of the constraints turn
///     sqrt(|x^T K x| / x^T M x)                      oscillation (or escape) along the motion, x = P v and P a
///
/// with P the projection onto G x = 0 in the mass metric and K = d(M a + G^T lambda - f)/dq. The first depends on the
/// origin of the coordinates, the others do not; the last sees a mechanism start slowly near an equilibrium. No unit,
/// row scaling or constant with a dimension enters. 1 / interval if nothing moves.
double motion_rate(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start, double t_span,
                   const LinearSolverOptions& linear_solver);

/// Diagonal of G M^-1 G^T with M lumped to its diagonal: the per-row scale of a compliance, unit-free when divided by
/// it.
Eigen::VectorXd lumped_schur_diagonal(const Workspace& w);

}  // namespace sunlagrange
