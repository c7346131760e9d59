#pragma once

#include <Eigen/Core>

namespace sunlagrange::internal {

/// The two halves of the space that rows G divide: what they see, and their null space. Rank is decided with the
/// threshold of the library; G comes in scaled rows and columns.
class RowSpace {
 public:
  /// @param threshold  of squared relative singular values, for this number of rows
  /// @param least      relative to the largest, but not to less than this; 1: of what are shares of unit vectors
  RowSpace(const Eigen::MatrixXd& G, double threshold, double least = 0.0);

  int rank() const { return static_cast<int>(right_.cols()); }
  const Eigen::MatrixXd& null() const { return null_; }  ///< n x (n - rank), orthonormal

  /// G with each singular value that counts put to one.
  Eigen::MatrixXd polar() const { return left_ * right_.transpose(); }

  /// G^+ B: of all least-squares solutions of G X = B the shortest.
  /// @param rounding  of B: shares of left singular vectors that are no larger count as zero
  Eigen::MatrixXd shortest(const Eigen::MatrixXd& B, double rounding = 0.0) const;
  /// (G^T)^+ B, the same for G^T X = B: multipliers.
  Eigen::MatrixXd shortest_transposed(const Eigen::MatrixXd& B) const;

 private:
  Eigen::MatrixXd right_;  // V, n x rank
  Eigen::MatrixXd left_;   // U, m x rank
  Eigen::VectorXd values_;
  Eigen::MatrixXd null_;
};

}  // namespace sunlagrange::internal
