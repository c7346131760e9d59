#pragma once

#include <memory>

#include <Eigen/Core>

#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange::internal {

struct RowInertias {
  Eigen::VectorXd values;
  double shortfall = 1.0;  ///< length of the longest row over that of the bound, at least 1: Lambda is so much too soft
};

/// Inertia behind each constraint row at the start, length m [J s^2 per (unit of the row)^2]: a penalty Lambda_i is
/// stiff or soft relative to it, whatever the units. With S = G M^-1 G^T and D_ii = S_ii^-1/2, M lumped in D,
///
///     D_ii^2 x (length of the longest row of (D S D)^-1, between 1 and 1e6).
///
/// 1 / S_ii alone is the inertia of the lightest part that the row acts on, as if it were free; what the other rows tie
/// to that part comes in with the inverse. The longest row serves all: which rows bear the heavy parts changes as the
/// mechanism turns. Lengths are those of the answers to a few random loads, so that m does not matter; lost directions
/// do not count.
///
/// Rows that depend on each other at the start share one inertia: where they contradict each other, the limit of large
/// penalties is then the papers' generalised inverse, which weighs all rows alike. With A = G M^-1 G^T of these rows it
/// is sqrt(|A^+| / trace A) within the same bounds: neither too soft for their weakest direction nor lost in the
/// rounding of the strongest.
RowInertias row_inertias(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                         const LinearSolverOptions& linear_solver);

}  // namespace sunlagrange::internal
