#pragma once

#include <Eigen/Core>

namespace sunlagrange::internal {

/// LinearSolverOptions::rank_threshold for m rows. Above 40 rows it falls as (40 / m)^4, as the eigenvalues of a bent
/// regular chain do, but not below 1e-14, which rounding leaves of rows that are exactly redundant.
double rank_threshold_for(int m, double threshold);

/// How many of the singular values, descending, are kept: squared and relative to the largest above the threshold.
/// @param least  relative to the largest, but not to less than this
int rank_of(const Eigen::VectorXd& singular_values, double threshold, double least = 0.0);

}  // namespace sunlagrange::internal
