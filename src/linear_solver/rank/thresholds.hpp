#pragma once

namespace sunlagrange::internal {

/// Relative pivot at which a factor counts as singular.
constexpr double lost_pivot = 1e-13;

/// Directions with eigenvalues below this many rank thresholds are tapered: kept in part.
constexpr double tapered_below = 10.0;

/// Eigenvalues of D S D and of the geometry of G this near mean the same direction.
constexpr double comparable = 1e3;

/// The rank threshold does not fall below this, which rounding leaves of exactly redundant rows.
constexpr double least_rank_threshold = 1e-14;

/// C = delta of a singular Newton matrix, relative to the lumped Schur diagonal.
constexpr double newton_delta = 1e-8;

}  // namespace sunlagrange::internal
