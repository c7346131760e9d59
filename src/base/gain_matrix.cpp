// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/base/gain_matrix.hpp>

#include <sunlagrange/base/figures.hpp>

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

const char* GainMatrix::kind() const {
  const bool scalar = is_diagonal() && size() > 0 && (diagonal.array() == diagonal[0]).all();
  return size() == 0 ? "none" : scalar ? "scalar" : is_diagonal() ? "diagonal" : "matrix";
}

void GainMatrix::describe(Figures& f) {
  f.derived("kind", std::string(kind()), "none, scalar, diagonal or matrix");
  describe_values(f);
}

void GainMatrix::describe_values(Figures& f) {
  f.derived("rows", size(), "number of rows");
  constexpr const char* meaning = "none, one number for all rows, the diagonal, or the rows of the matrix";
  if (size() == 0)
    f.derived("value", std::optional<double>(), meaning);
  else if (!is_diagonal())
    f.derived("value", full, meaning);
  else if ((diagonal.array() == diagonal[0]).all())
    f.derived("value", diagonal[0], meaning);
  else
    f.derived("value", diagonal, meaning);
}

}  // namespace sunlagrange
