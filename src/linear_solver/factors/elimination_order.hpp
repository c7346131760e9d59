// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/signed_vector.hpp"
#include "linear_solver/blocks.hpp"

namespace sunlagrange::internal {

/// The order in which the unknowns of [H G^T; B -C] are eliminated, found from the pattern alone: coordinates 0 ...
/// n-1, rows n ... n+m-1. It is a minimum-degree order; of equal unknowns the one touched last goes first, so that it
/// follows chains. A row is eliminated
///
///     - after all coordinates it acts on: -pivot then belongs to G M^-1 G^T, definite where G has full rank, or
///     - after the coordinates of one body that nothing else holds any more, if it is of the only joint left on that
///       body (leaf body, then its joint): -pivot then is G A^-1 G^T with the articulated inertia A [Baraff1996,
///       section 7].
///
/// Pivots then stay definite as long as M is definite and G has full rank. The order is a postorder: subtrees of the
/// elimination tree stand together.
struct EliminationOrder {
  EliminationOrder() = default;
  explicit EliminationOrder(const BlockPattern& pattern);

  /// Moves the unknown at place from[k] to place k.
  void rearrange(const SignedVector<int>& from);

  /// False: the factors would fill up, unlike those of an order that chooses pivots by value (hundreds of bodies that
  /// connect the same two bodies). Then the order is empty.
  bool complete = false;

  SignedVector<int> place;                  ///< place of each unknown
  SignedVector<int> unknown;                ///< unknown at each place
  SignedVector<SignedVector<int>> reached;  ///< for each place: the places of its neighbours that come later
};

}  // namespace sunlagrange::internal
