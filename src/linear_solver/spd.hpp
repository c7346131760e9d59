#pragma once

#include <Eigen/Core>

namespace sunlagrange {

/// Symmetric (to rounding) and positive definite.
bool is_spd(const Eigen::MatrixXd& matrix);

/// A^-1 B for symmetric positive definite A.
Eigen::MatrixXd spd_solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

}  // namespace sunlagrange
