#pragma once

#include <vector>

#include <sunlagrange/base/fact.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// Rows that depend on each other and ask for different things: G x = asked cannot hold, x is the nearest. What a
/// formulation has to say about them after a run. No allocation after construction.
class Contradictions {
 public:
  explicit Contradictions(const MechanicalSystem& system)
      : scales_(system.natural_scales()),
        terms_(system.num_constraints()),
        largest_(Eigen::VectorXd::Zero(system.num_constraints())) {}

  /// After a solution where rank was lost; `asked` is overwritten.
  void note(const Workspace& w, const Eigen::VectorXd& x, Eigen::VectorXd& asked);

  /// Names of the rows, and by how much; empty: none.
  std::vector<Fact> facts(const MechanicalSystem& system) const;

 private:
  Eigen::VectorXd scales_;   // natural, of the coordinates
  Eigen::VectorXd terms_;    // of a row, absolute values
  Eigen::VectorXd largest_;  // |G x - asked| relative to the largest terms
};

}  // namespace sunlagrange::internal
