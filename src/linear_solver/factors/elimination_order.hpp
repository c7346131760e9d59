#pragma once

#include <vector>

#include "base/signed_vector.hpp"
#include "linear_solver/blocks.hpp"

namespace sunlagrange::internal {

/// In which order the unknowns of [H G^T; B -C] are eliminated without looking at values: coordinates 0 ... n-1, rows
/// n ... n+m-1. Minimum degree, ties to the unknown touched last, so that chains are walked along. A row is eliminated
///
///     - after all coordinates it acts on: -pivot then belongs to G M^-1 G^T, definite where G has full rank, or
///     - after the coordinates of one body that nothing else holds any more, if it is of the only joint left on that
///     body
///       (leaf body, then its joint): -pivot then is G A^-1 G^T with the articulated inertia A [Baraff1996, section 7].
///
/// So pivots stay definite as long as M is definite and G has full rank. Subtrees stand together. Columns with
/// `ancestor` order are in postorder.
struct EliminationOrder {
  EliminationOrder() = default;
  explicit EliminationOrder(const BlockPattern& pattern);

  /// What stood at from[k] stands at k.
  void rearrange(const SignedVector<int>& from);

  /// False: where rows wait, the factors fill up, and an order that chooses pivots by value would not (hundreds of
  /// bodies that connect the same two). Then there is nothing here.
  bool complete = false;

  SignedVector<int> place;                  ///< of each unknown
  SignedVector<int> unknown;                ///< at each place
  SignedVector<SignedVector<int>> reached;  ///< places of its neighbours that come later
};

}  // namespace sunlagrange::internal
