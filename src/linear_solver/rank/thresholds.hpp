// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace sunlagrange::internal {

/// Thresholds of all decisions about rank. They are relative and free of units. S = G M^-1 G^T + C; "eigenvalue" means
/// one of D S D relative to the largest, D = diag(S_ii)^-1/2. LinearSolverOptions::rank_threshold is the user's.
/// Reasons and measurements: docs/decisions/0004, 0015, 0020. Held by ill_scaled_rank_test, linear_solver_laws_test,
/// geometric_rank_test.
struct RankThresholds {
  // Pivots, relative to the largest
  static constexpr double lost_pivot = 1e-13;         ///< a factor with a smaller pivot counts as singular
  static constexpr double accurate_pivot = 1e-6;      ///< below it `regularized` chooses pivots for the matrix
  static constexpr double largest_lost_pivot = 1e-5;  ///< above it no direction counts as lost, whatever delta is

  // Eigenvalues, in rank thresholds
  static constexpr double tapered_below = 10.0;  ///< weak directions below it are kept in part
  static constexpr double regular_above = 20.0;  ///< no direction is weak or nearly so; more than tapered_below

  // Eigenvalues
  static constexpr double least = 1e-14;          ///< the rank threshold is not lower: rounding of redundant rows
  static constexpr double comparable = 1e3;       ///< ratio up to which D S D and G mean the same direction
  static constexpr double redundant = 1e-11;      ///< lost by the first matrix: lost everywhere, up to a violation 3e-6
  static constexpr double rounding = 1e-13;       ///< zeros plus rounding are below it
  static constexpr double newton = 1e-9;          ///< a Newton matrix with a smaller one counts as singular
  static constexpr double newton_of_chain = 0.1;  ///< the same, in 1 / m^2: a straight chain of m rows is regular
  static constexpr double null_direction = 1e-20;  ///< |G^T u|^2 of a null direction u: b in it moves by 1e-10

  // Compliances, relative to S_ii
  static constexpr double newton_delta = 1e-8;   ///< compliance of every row of a singular Newton matrix
  static constexpr double search_delta = 1e-10;  ///< compliance of every row in the search for weak rows
  static constexpr double narrowest_row = 1e-4;  ///< S_ii / max S_ii down to which proximal steps share one delta

  // Iterations
  static constexpr double proximal_update = 1e-13;  ///< proximal steps end at this relative change of v'
  static constexpr int proximal_steps = 7;
  static constexpr int matrices_per_scaling = 8;      ///< the scaling is renewed after so many matrices
  static constexpr int matrices_per_rank_check = 16;  ///< proximal steps without convergence until rank is decided anew
  static constexpr int newton_regularized = 16;       ///< Newton matrices with a compliance after a singular one
};

}  // namespace sunlagrange::internal
