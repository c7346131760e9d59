// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <Eigen/Core>

#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange::internal {

struct RowInertias {
  Eigen::VectorXd values;
  double shortfall =
      1.0;  ///< length of the longest row relative to its bound, at least 1: the factor by which Lambda is too soft
};

/// Returns the inertia that each constraint row acts on at the start, length m [J s^2 per (unit of the row)^2]. A
/// penalty Lambda_i is stiff or soft relative to it. With S = G M^-1 G^T and D_ii = S_ii^-1/2 of lumped masses it is
///
///     D_ii^2 x length,   length = length of the longest row of (D S D)^-1, or if it is larger the largest ratio of the
///                        inertias of two bodies that one row joins, between 1 and 1e6.
///
/// 1 / S_ii alone is the inertia of the lightest part that the row acts on, as if that part were free; the inverse adds
/// what other rows tie to it at the start, the ratio what they may come to tie to it during the motion. The longest row
/// is used for all, because the rows that carry heavy parts change during the motion. Lengths are estimated by the
/// responses to a few random loads, at a cost independent of m. Lost directions do not count.
///
/// Rows that depend on each other at the start have one common inertia: the limit of large penalties is then the
/// generalised inverse of the papers, which weights all rows alike if they contradict each other. With A = G M^-1 G^T
/// of these rows it is sqrt(|A^+| / trace A) within the same bounds, a compromise between their weakest and their
/// strongest direction.
RowInertias row_inertias(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                         const LinearSolverOptions& linear_solver);

}  // namespace sunlagrange::internal
