#include "linear_solver/spd.hpp"

#include <Eigen/Cholesky>

namespace sunlagrange {

bool is_spd(const Eigen::MatrixXd& matrix) {
  if (matrix.rows() != matrix.cols() || matrix.rows() == 0 || !matrix.allFinite()) return false;
  const double asymmetry = (matrix - matrix.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > 1e-12 * matrix.cwiseAbs().maxCoeff()) return false;
  return Eigen::LLT<Eigen::MatrixXd>(matrix).info() == Eigen::Success;
}

Eigen::MatrixXd spd_solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.llt().solve(B);
}

}  // namespace sunlagrange
