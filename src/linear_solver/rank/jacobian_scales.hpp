// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include <sunlagrange/internal/sparse_pattern.hpp>

namespace sunlagrange::internal {

/// Diagonal scales R, D that make the entries of R G D nearest to one, in the least squares of their logarithms [Curtis
/// and Reid 1972]; the rows then get length one. The scales always exist, and R G D depends neither on the units of
/// rows and coordinates nor on masses. Small singular values of R G D are therefore a property of the geometry alone.
class JacobianScales {
 public:
  explicit JacobianScales(const SparsePattern& pattern);

  /// @param G       values in the slots of the pattern; only their size counts
  /// @param metric  column scales in which entries are compared, free of units: M_jj^-1/2. Entries that are less than
  ///                1e-7 of their row in it count as rounding: the error of a difference quotient is no coordinate
  void balance(const double* G, const Eigen::VectorXd& metric);

  /// R G D, dense.
  Eigen::MatrixXd balanced(const double* G) const;

  const Eigen::VectorXd& rows() const { return rows_; }        ///< R
  const Eigen::VectorXd& columns() const { return columns_; }  ///< D; 1 for a column without entries

 private:
  void apply(const Eigen::VectorXd& x, Eigen::VectorXd& y) const;
  void solve();

  SparsePattern pattern_;
  Eigen::VectorXd rows_, columns_;
  Eigen::VectorXd counts_;  // of each entry: 1, or 0 if it may be rounding
  Eigen::VectorXd x_, right_, residual_, direction_, image_;
};

}  // namespace sunlagrange::internal
