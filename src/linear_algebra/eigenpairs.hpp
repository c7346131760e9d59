// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace sunlagrange::internal {

/// A X = X diag(values), in no particular order, complex ones in neighbouring pairs.
struct EigenPairs {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;  ///< of length 1; those of a defective value are parallel to rounding
};

/// @throws Error if the iteration does not converge. Allocates. Eigen's solver does not balance: see balancing_scales.
EigenPairs eigenpairs(const Eigen::MatrixXd& A);

}  // namespace sunlagrange::internal
