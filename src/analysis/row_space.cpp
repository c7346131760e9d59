#include "analysis/row_space.hpp"

#include <cmath>

#include "linear_algebra/decompositions.hpp"
#include "linear_solver/rank_threshold.hpp"

namespace sunlagrange::internal {

using Eigen::Index;
using Eigen::MatrixXd;

RowSpace::RowSpace(const MatrixXd& G, double threshold, double least) {
  const Index n = G.cols();
  if (G.rows() == 0 || n == 0) {
    right_.resize(n, 0);
    left_.resize(G.rows(), 0);
    null_ = MatrixXd::Identity(n, n);
    return;
  }
  const SingularValues svd = singular_values(G, SingularVectors::right);
  Index rank = rank_of(svd.values, threshold);
  while (rank > 0 && svd.values[rank - 1] <= std::sqrt(threshold) * least) --rank;
  values_ = svd.values.head(rank);
  right_ = svd.V.leftCols(rank);
  null_ = svd.V.rightCols(n - rank);
  left_ = G * right_ * values_.cwiseInverse().asDiagonal();
}

MatrixXd RowSpace::shortest(const MatrixXd& B) const {
  return right_ * (values_.cwiseInverse().asDiagonal() * (left_.transpose() * B));
}

MatrixXd RowSpace::shortest_transposed(const MatrixXd& B) const {
  return left_ * (values_.cwiseInverse().asDiagonal() * (right_.transpose() * B));
}

}  // namespace sunlagrange::internal
