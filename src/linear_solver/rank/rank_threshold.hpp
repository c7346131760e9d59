// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace sunlagrange::internal {

/// Returns LinearSolverOptions::rank_threshold for m rows. Above 40 rows it falls as (40 / m)^4, as the eigenvalues of
/// a bent regular chain do, but not below RankThresholds::least.
double rank_threshold_for(int m, double threshold);

/// Returns the number of singular values (in descending order) whose squares, relative to the largest, exceed the
/// threshold.
/// @param least  lower bound of the largest singular value that the others are relative to
int rank_of(const Eigen::VectorXd& singular_values, double threshold, double least = 0.0);

}  // namespace sunlagrange::internal
