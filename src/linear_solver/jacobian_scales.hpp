#pragma once

#include <Eigen/Core>

#include <sunlagrange/internal/sparse_pattern.hpp>

namespace sunlagrange::internal {

/// Diagonal scales R, D for which the rows of R G D have length one and its columns one length: what they leave does
/// not depend on the units of rows and coordinates, nor on masses, so that small singular values of R G D say
/// something about the geometry of the constraints alone. Alternating normalisation of rows and columns [Sinkhorn and
/// Knopp 1967] of the squared entries, from a start in the metric of the masses, which it forgets.
class JacobianScales {
 public:
  JacobianScales(int rows, int columns);

  /// @param G      values in the slots of the pattern; only their size counts
  /// @param start  first column scales, free of units: M_jj^-1/2. Entries that are less than 1e-7 of their row in this
  ///               metric count as rounding, or a column of nothing but rounding would be scaled up to a coordinate
  void balance(const SparsePattern& pattern, const double* G, const Eigen::VectorXd& start);

  const Eigen::VectorXd& rows() const { return rows_; }        ///< R
  const Eigen::VectorXd& columns() const { return columns_; }  ///< D; a column without entries keeps its start

 private:
  Eigen::VectorXd rows_, columns_, kept_, sums_;
};

}  // namespace sunlagrange::internal
