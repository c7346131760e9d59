// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

/// Treatment of lost rank: G M^-1 G^T is singular or nearly so, because constraints are redundant or the configuration
/// is singular. It holds for right-hand sides, consistent states and projections.
enum class RankPolicy {
  /// A recoverable failure, counted by its reason, as with the plain inverse of [000, (14), (21)].
  strict,
  /// The least norm of G a - b and of the multipliers. Weak directions border the matrix, with a smooth transition from
  /// 10 x rank_threshold on (docs/decisions/0020). More than 16 directions: C = delta, and proximal steps until the
  /// accelerations no longer change (the report says so).
  minimum_norm,
  /// C = delta in every row that has no compliance. The system is always solvable, with an error O(delta). Components
  /// of the right-hand side along lost directions are left out, as with minimum_norm.
  regularized,
};

constexpr auto names_of(RankPolicy) {
  return enum_names("strict", "minimum_norm", "regularized");
}

/// Options of the linear solver. All thresholds are relative and free of units.
struct LinearSolverOptions {
  /// A registered name ("dense", "klu", "block") or "automatic": dense up to 12 unknowns n + m, and up to 64 where
  /// every second entry of M and G may differ from zero; else block, or klu where the pattern has no small blocks.
  std::string name = "automatic";

  RankPolicy rank_policy = RankPolicy::minimum_norm;  ///< treatment of lost rank

  /// A direction is lost if its eigenvalue of D G M^-1 G^T D is below this times the largest, with D^-2 the largest
  /// diagonal so far (strict: the present one), unless the geometry of G shows that masses lie far apart. For more than
  /// m = 40 rows it falls as (40 / m)^4, as the eigenvalues of regular chains do, down to 1e-14. Default: 1e-9, which
  /// is 3e-5 for singular values. A larger value drops weak directions of regular mechanisms, a much smaller one
  /// follows the drift at singular configurations (docs/decisions/0004, 0015, 0020).
  double rank_threshold = 1e-9;

  /// delta of `regularized`, and of `minimum_norm` with more than 16 lost directions, relative to the diagonal of
  /// G M^-1 G^T.
  double regularization = 1e-8;
};

}  // namespace sunlagrange
