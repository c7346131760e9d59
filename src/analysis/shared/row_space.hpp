// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace sunlagrange::internal {

/// Residual of redundant rows, relative to the sizes of their terms, above which they contradict each other. It is far
/// above rounding and far below any true contradiction.
constexpr double contradiction_residual = 1e-8;

/// Row space and null space of G by a singular value decomposition. The rank threshold is that of the library; rows and
/// columns of G have to be scaled.
class RowSpace {
 public:
  /// @param threshold  for squared relative singular values with this number of rows
  /// @param least  lower bound of the singular value that the others are relative to, e.g. 1 if the rows are parts of
  ///               unit vectors
  RowSpace(const Eigen::MatrixXd& G, double threshold, double least = 0.0);

  int rank() const { return static_cast<int>(right_.cols()); }
  const Eigen::MatrixXd& null() const { return null_; }  ///< n x (n - rank), orthonormal

  /// Returns G with every nonzero singular value replaced by one.
  Eigen::MatrixXd polar() const { return left_ * right_.transpose(); }

  /// Returns G^+ B, the shortest least-squares solution of G X = B.
  /// @param rounding  components of B along left singular vectors up to this size count as zero
  Eigen::MatrixXd shortest(const Eigen::MatrixXd& B, double rounding = 0.0) const;
  /// Returns (G^T)^+ B, the same for G^T X = B, e.g. multipliers.
  Eigen::MatrixXd shortest_transposed(const Eigen::MatrixXd& B) const;

 private:
  Eigen::MatrixXd right_;  // V, n x rank
  Eigen::MatrixXd left_;   // U, m x rank
  Eigen::VectorXd values_;
  Eigen::MatrixXd null_;
};

}  // namespace sunlagrange::internal
