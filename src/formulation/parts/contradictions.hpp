// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <sunlagrange/base/fact.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// Records dependent rows that contradict each other: G x = b has no solution, and x is the least-squares one. The
/// report names them after a run. No allocation after construction.
class Contradictions {
 public:
  explicit Contradictions(const MechanicalSystem& system)
      : scales_(system.natural_scales()),
        terms_(system.num_constraints()),
        largest_(Eigen::VectorXd::Zero(system.num_constraints())) {}

  /// Records the residual of a solution x with lost rank. `right_side`: b, which is overwritten.
  void record(const Workspace& w, const Eigen::VectorXd& x, Eigen::VectorXd& right_side);

  /// Returns the names of the rows and the largest relative residual; nothing if no rows contradict each other.
  std::vector<Fact> facts(const MechanicalSystem& system) const;

 private:
  Eigen::VectorXd scales_;   // natural scales of the coordinates
  Eigen::VectorXd terms_;    // sum of the absolute terms of each row
  Eigen::VectorXd largest_;  // |G x - b| relative to the largest terms
};

}  // namespace sunlagrange::internal
