#include <sunlagrange/base/gain_matrix.hpp>

namespace sunlagrange {

using namespace internal;

GainMatrix GainMatrix::block_diagonal(const GainMatrix& A, const GainMatrix& B) {
  GainMatrix result;
  if (A.is_diagonal() && B.is_diagonal()) {
    result.diagonal.resize(A.size() + B.size());
    result.diagonal << A.diagonal, B.diagonal;
    return result;
  }
  result.full = Eigen::MatrixXd::Zero(A.size() + B.size(), A.columns() + B.columns());
  result.full.topLeftCorner(A.size(), A.columns()) = A.dense();
  result.full.bottomRightCorner(B.size(), B.columns()) = B.dense();
  return result;
}

Eigen::MatrixXd GainMatrix::dense() const {
  return is_diagonal() ? Eigen::MatrixXd(diagonal.asDiagonal()) : full;
}

}  // namespace sunlagrange
