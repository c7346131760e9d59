// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

#include <sunlagrange/internal/pattern_matrix.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// Squared norms of rows in M^-1, apart for each body that a row acts on. Bodies are the blocks of several coordinates.
///
/// A row exerts the same force on all bodies that it joins, but in the norm of M^-1 of all coordinates the lightest one
/// hides the others. A norm on one body is to be compared with a norm on the same body, where its mass cancels.
class RowsOnBodies {
 public:
  /// Squared norm of the entries of one row on one body, greater than zero.
  struct Part {
    int body;
    double squared_norm;
  };
  using Parts = std::vector<Part>;

  explicit RowsOnBodies(const MechanicalSystem& system);

  /// Returns the parts of the first `rows` rows of A, with M lumped to the diagonal `mass`; those that are rounding
  /// beside the whole row are left out.
  std::vector<Parts> of(const PatternMatrix& A, const Eigen::VectorXd& mass, int rows) const;

  /// Returns the squared norm of a row on a body; 0 where it has no part.
  static double squared_norm(const Parts& row, int body);

 private:
  std::vector<int> body_of_;  // of each coordinate; -1: of none
};

}  // namespace sunlagrange::internal
