// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/signed_vector.hpp"
#include "linear_solver/factors/elimination_order.hpp"

namespace sunlagrange::internal {

/// Consecutive pivots of an elimination order in small dense blocks (supernodes). A panel stores the rows of
/// its pivots, then the rows below that they reach (the border), row after row:
///
///     pivots    [ a       ]
///               [ a  a    ]
///               [ a  a  a ]
///     border    [ a  a  a ]      at the places row[0], row[1], ...; the pairs of the lower triangle of
///               [ a  a  a ]      border x border go to target[0], target[1], ... in the panels that come later
///
/// Two panels of one shape that do not depend on each other are stored as one panel of two lanes, number beside number,
/// so that one SIMD instruction works on both: pivot i of lane l is at the place first + lanes * i + l, entry k at the
/// slot values + lanes * k + l. Rows of the second lane follow all those of the first; so do its targets.
struct Panels {
  struct Panel {
    int first, pivots, border, lanes;
    int values, row, target;  ///< begin of its own
    bool abreast;  ///< the second lane reaches the places right behind those of the first; its targets are left out
  };
#if defined(__GNUC__)
  static constexpr bool in_lanes = true;  ///< the compiler has the vector types of the kernels
#else
  static constexpr bool in_lanes = false;
#endif
  static constexpr int most_pivots_in_lanes = 8;

  Panels() = default;
  explicit Panels(const BlockPattern& pattern);

  /// Returns the slot of the entry of two places, in either order.
  int slot(int place, int other) const;

  /// Calls use(place, slot of the pivot) for every unknown.
  template <class Use>
  void for_each_pivot(Use&& use) const {
    for (const Panel& p : panel) {
      for (int i = 0; i < p.pivots; ++i) {
        const int first = p.first + p.lanes * i, slot = p.values + p.lanes * (i * (i + 3) / 2);
        for (int lane = 0; lane < p.lanes; ++lane) use(first + lane, slot + lane);
      }
    }
  }

  EliminationOrder order;
  SignedVector<Panel> panel;
  SignedVector<int> row, target;
  int entries = 0;
  bool complete = false;  ///< false: the order costs too much (EliminationOrder), there are no panels

 private:
  void find_targets();

  SignedVector<int> panel_of_;
};

}  // namespace sunlagrange::internal
