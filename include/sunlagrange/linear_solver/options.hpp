#pragma once

#include <string>

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

/// What to do when the constraints lose rank, i.e. when G M^-1 G^T is (nearly) singular because constraints are
/// redundant or the configuration is singular. It means the same in right-hand sides, Newton, consistency, projection.
enum class RankPolicy {
  /// Recoverable failure with a counted reason, as the plain inverse of the paper's (14) and (21).
  strict,
  /// Drop the lost directions, smoothly from 10 x rank_threshold on: they border the matrix (docs/decisions/0020). Of
  /// more than 16: C = delta and proximal steps until the accelerations stand (the report says so).
  minimum_norm,
  /// C = delta in every row that has no compliance: always solvable, error O(delta). What the right-hand side asks of
  /// directions that are lost altogether is left out, as with minimum_norm.
  regularized,
};

constexpr auto names_of(RankPolicy) {
  return enum_names("strict", "minimum_norm", "regularized");
}

/// Linear-solver settings; all thresholds are relative and unit-free.
struct LinearSolverOptions {
  /// A registered name ("dense", "klu", "block") or "automatic": dense up to 12 unknowns n + m, and up to 64 where
  /// every second entry of M and G may differ from zero; else block, or klu where the pattern has no small blocks.
  std::string name = "automatic";

  RankPolicy rank_policy = RankPolicy::minimum_norm;

  /// Eigenvalues of D G M^-1 G^T D below this times the largest count as lost, D^-2 being the largest diagonal met so
  /// far (strict: the present one), unless the geometry of G says that masses lie far apart. From m = 40 rows on it
  /// falls as (40 / m)^4, as the eigenvalues of regular chains do, down to 1e-14. Default 1e-9, i.e. 3e-5 on G itself:
  /// higher cuts weak directions of regular mechanisms off, much lower follows the drift at singular configurations
  /// (docs/decisions/0004, 0015, 0020).
  double rank_threshold = 1e-9;

  /// delta of `regularized`, and of `minimum_norm` with more than 16 lost directions, relative to the diagonal of
  /// G M^-1 G^T.
  double regularization = 1e-8;
};

}  // namespace sunlagrange
