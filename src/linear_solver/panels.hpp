#pragma once

#include <vector>

#include "linear_solver/elimination_order.hpp"

namespace sunlagrange::internal {

/// Consecutive pivots of an elimination order in small dense blocks. A panel holds the rows of its pivots, then those
/// below that they reach, row after row:
///
///     pivots    [ a       ]
///               [ a  a    ]
///               [ a  a  a ]
///     border    [ a  a  a ]      at the places row[0], row[1], ...; the pairs of the lower triangle of
///               [ a  a  a ]      border x border go to target[0], target[1], ... in the panels that come later
struct Panels {
  struct Panel {
    int first, pivots, border;
    int values, row, target;  ///< where its own begin
  };

  Panels() = default;
  explicit Panels(const BlockPattern& pattern);

  /// Where the entry of two places is kept, whichever is eliminated first.
  int slot(int place, int other) const;

  EliminationOrder order;
  std::vector<Panel> panel;
  std::vector<int> row, target;
  int entries = 0;
  bool complete = false;  ///< false: the order costs too much (EliminationOrder), there are no panels

 private:
  std::vector<int> panel_of_;
};

}  // namespace sunlagrange::internal
