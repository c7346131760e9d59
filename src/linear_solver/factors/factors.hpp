#pragma once

#include <string>

#include "linear_solver/blocks.hpp"

namespace sunlagrange::internal {

/// Factors of one matrix of fixed pattern, H, G, B, C as in BlockPattern, d >= 0 the compliance lent to rows:
///
///     [ H   G^T          ]
///     [ B   -C - diag(d) ]
///
/// All that a linear solver of the registry provides. What is done about lost rank is decided once for all of them, in
/// SaddlePointSolver and NewtonSolver. Units are the callers': scaling is each implementation's own affair.
class Factors {
 public:
  /// What a row was at its largest: D^-2, at least the diagonal of S for lumped masses.
  struct RowReference {
    const double* square = nullptr;  ///< length m; nullptr: that diagonal itself
    long version = 0;                ///< another one whenever a value has changed
  };

  enum class Pivots {
    kept,    ///< of the last matrix, if they are still good; the fastest way
    chosen,  ///< for this matrix, whose entries may lie far apart; may allocate
  };

  virtual ~Factors() = default;

  /// @param lent  d, length m; nullptr: 0
  /// @return false if it is singular to rounding, or not finite
  virtual bool factorize(const BlockValues& values, const double* row_compliance, Pivots pivots) = 0;

  /// In: right-hand sides (length n, length m; pairs where the pattern is complex). Out: the solution. No allocation.
  virtual void solve(double* top, double* bottom) = 0;

  /// From the pivots alone: no eigenvalue of D S D is below `least`. False means that they cannot tell.
  virtual bool certainly_regular(double least, const RowReference& reference) = 0;

  /// Diagonal of S = G M^-1 G^T + C + diag(d) of the last matrix, if it came out on the way; otherwise nullptr.
  virtual const double* schur_diagonal() const { return nullptr; }

  /// Pivots below `relative` x the largest.
  virtual int count_pivots_below(double relative) const = 0;

  /// E.g. "klu, 812 entries in the factors".
  virtual std::string description() const = 0;

  /// Where symbolic analyses, pivot refreshes, refinements and entries are counted.
  void count_in(LinearCounts& counts) { counts_ = &counts; }

 protected:
  LinearCounts& counts() { return *counts_; }

 private:
  LinearCounts unseen_;
  LinearCounts* counts_ = &unseen_;
};

}  // namespace sunlagrange::internal
