#pragma once

#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/model/quantities.hpp>

namespace sunlagrange {

/// Characteristic magnitudes read off the start, used by automatic gains and error weights; maximum norms.
struct Scales {
  double position = 1.0;  ///< typical |q|: MotionState::typical_position, else max |q|
  double time = 1.0;      ///< T = min(q/|v0|, sqrt(q/|a0|), interval) [s]
};

Scales characteristic_scales(const MotionState& start, double t_span);

/// Diagonal of G M^-1 G^T with M lumped to its diagonal: the per-row scale of a compliance, unit-free when divided by
/// it.
Eigen::VectorXd lumped_schur_diagonal(const Workspace& w);

}  // namespace sunlagrange
