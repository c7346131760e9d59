// SPDX-License-Identifier: BSD-3-Clause
// A file of its own, so that half a minute of compilation runs in parallel with the other decompositions.
#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/SVD>

#include "linear_algebra/decompositions.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::MatrixXd;

/// Returns true if entries are further apart than rounding. Eigen's division of the problem can then divide by zero and
/// reads beyond its arrays; rotations do not.
bool has_wide_range(const MatrixXd& A) {
  double largest = 0.0, smallest = std::numeric_limits<double>::infinity();
  for (const double x : A.reshaped()) {
    if (x == 0.0) continue;
    largest = std::max(largest, std::abs(x));
    smallest = std::min(smallest, std::abs(x));
  }
  return smallest < std::numeric_limits<double>::epsilon() * largest;
}

template <class Decomposition>
SingularValues parts(const Decomposition& svd) {
  SingularValues result{svd.singularValues(), {}, {}};
  if (svd.computeU()) result.U = svd.matrixU();
  if (svd.computeV()) result.V = svd.matrixV();
  return result;
}

}  // namespace

SingularValues singular_values(const Eigen::MatrixXd& A, SingularVectors vectors) {
  int flags = 0;
  if (vectors == SingularVectors::left) flags = Eigen::ComputeFullU;
  if (vectors == SingularVectors::right) flags = Eigen::ComputeFullV;
  if (vectors == SingularVectors::thin) flags = Eigen::ComputeThinU | Eigen::ComputeThinV;
  const auto options = static_cast<unsigned int>(flags);
  if (has_wide_range(A)) return parts(Eigen::JacobiSVD<MatrixXd>(A, options));
  return parts(Eigen::BDCSVD<MatrixXd>(A, options));
}

double largest_singular_value(const Eigen::MatrixXd& A) {
  return A.size() == 1 ? std::abs(A(0, 0)) : singular_values(A).values[0];
}

}  // namespace sunlagrange::internal
