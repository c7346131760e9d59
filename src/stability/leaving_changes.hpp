// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace sunlagrange::internal {

/// Changes of a state y that have independent constraint errors e, E = de/dy. For redundant rows they are fewer than
/// the rows: the errors W E D x of all x have the dimension of the rank of E D.
struct LeavingChanges {
  /// @param E  size(e) x size(y)
  /// @param D  size(y) x size(e), directions that leave the constraints; empty: E^T
  /// @param W  positive weights of the rows
  /// @throws Error if sizes do not fit, E D is not finite, or no direction leaves the constraints
  LeavingChanges(const Eigen::MatrixXd& E, const Eigen::MatrixXd& D, const Eigen::VectorXd& W);

  Eigen::MatrixXd changes;  ///< Z, size(y) x rank, combinations of D
  Eigen::MatrixXd errors;   ///< W E Z, size(e) x rank, orthonormal columns
  Eigen::VectorXd weights;  ///< W

  /// Returns the part of e that the changes can have, in the basis `errors`.
  Eigen::VectorXd part_of(const Eigen::VectorXd& e) const { return errors.transpose() * weights.cwiseProduct(e); }

  /// Returns the combination of the changes whose error is e, or closest to e in the weighted norm.
  Eigen::VectorXd with_error(const Eigen::VectorXd& e) const { return changes * part_of(e); }
};

}  // namespace sunlagrange::internal
