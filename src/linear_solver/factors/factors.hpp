// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "linear_solver/blocks.hpp"

namespace sunlagrange::internal {

/// Factors of one matrix of fixed pattern, with H, G, B, C as in BlockPattern and d >= 0 a compliance of the rows that
/// the rank treatment adds:
///
///     [ H   G^T          ]
///     [ B   -C - diag(d) ]
///
/// A linear solver of the registry provides this class. Lost rank is treated once for all of them, in SaddlePointSolver
/// and NewtonSolver. Entries have the units of the caller; each implementation scales them.
class Factors {
 public:
  /// The scale of each row, D^-2: the largest S_ii so far, at least that of lumped masses.
  struct RowReference {
    const double* square = nullptr;  ///< length m; nullptr: S_ii of lumped masses
    long version = 0;                ///< changes whenever a value changes
  };

  enum class Pivots {
    kept,    ///< those of the last matrix, if they are still good; the fastest way
    chosen,  ///< chosen for this matrix, whose entries may lie far apart; may allocate
  };

  virtual ~Factors() = default;

  /// @param row_compliance  d, length m; nullptr: 0
  /// @return false if the matrix is singular to rounding, or not finite
  virtual bool factorize(const BlockValues& values, const double* row_compliance, Pivots pivots) = 0;

  /// In: right-hand sides (length n, length m; pairs where the pattern is complex). Out: the solution. No allocation.
  virtual void solve(double* top, double* bottom) = 0;

  /// Returns true if the pivots alone show that no eigenvalue of D S D is below `least`. False: they do not show it.
  virtual bool certainly_regular(double least, const RowReference& reference) = 0;

  /// Returns the diagonal of S = G M^-1 G^T + C + diag(d) if the factorisation has computed it, else nullptr.
  virtual const double* schur_diagonal() const { return nullptr; }

  /// Returns the number of pivots below `relative` x the largest.
  virtual int count_pivots_below(double relative) const = 0;

  /// Returns a phrase for the report, e.g. "klu, 812 entries in the factors".
  virtual std::string description() const = 0;

  /// Sets where symbolic analyses, pivot refreshes, refinements and entries are counted.
  void count_in(LinearCounts& counts) { counts_ = &counts; }

 protected:
  LinearCounts& counts() { return *counts_; }

 private:
  LinearCounts own_counts_;
  LinearCounts* counts_ = &own_counts_;
};

}  // namespace sunlagrange::internal
