// SPDX-License-Identifier: BSD-3-Clause
#include "linear_algebra/eigenpairs.hpp"

#include <Eigen/Eigenvalues>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange::internal {

EigenPairs eigenpairs(const Eigen::MatrixXd& A) {
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A);
  if (solver.info() != Eigen::Success) throw Error("the eigenvectors of a matrix cannot be computed; is it finite?");
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace sunlagrange::internal
