// A file of its own, so that half a minute of compilation runs in parallel with the other decompositions.
#include <Eigen/SVD>

#include "linear_algebra/decompositions.hpp"

namespace sunlagrange::internal {

SingularValues singular_values(const Eigen::MatrixXd& A, SingularVectors vectors) {
  int flags = 0;
  if (vectors == SingularVectors::left) flags = Eigen::ComputeFullU;
  if (vectors == SingularVectors::right) flags = Eigen::ComputeFullV;
  if (vectors == SingularVectors::thin) flags = Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(A, static_cast<unsigned int>(flags));
  SingularValues result{svd.singularValues(), {}, {}};
  if (svd.computeU()) result.U = svd.matrixU();
  if (svd.computeV()) result.V = svd.matrixV();
  return result;
}

double largest_singular_value(const Eigen::MatrixXd& A) {
  return A.size() == 1 ? std::abs(A(0, 0)) : singular_values(A).values[0];
}

}  // namespace sunlagrange::internal
