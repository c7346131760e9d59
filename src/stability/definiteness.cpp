// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/stability/definiteness.hpp>

#include <sunlagrange/base/setting.hpp>

#include "linear_algebra/decompositions.hpp"
#include "linear_algebra/small_matrices.hpp"
#include "linear_algebra/spd.hpp"

namespace sunlagrange {

using namespace internal;

std::string Definiteness::text() const {
  const std::string range =
      "eigenvalues " + sunlagrange::text(smallest_eigenvalue) + " to " + sunlagrange::text(largest_eigenvalue);
  if (cholesky) return "positive definite, " + range;
  for (Eigen::Index k = 0; k < minors.size(); ++k) {
    if (minors[k] > 0.0) continue;
    return "not positive definite: leading minor " + std::to_string(k + 1) + " is " + sunlagrange::text(minors[k]) +
           ", " + range;
  }
  return "not positive definite to rounding, " + range;
}

Definiteness definiteness(const Eigen::MatrixXd& S) {
  require_square(S, "the form's matrix");
  require_symmetric(S, S.rows(), "the form's matrix");
  const Eigen::MatrixXd form = symmetric_part(S);
  Definiteness result;
  result.cholesky = cholesky(form).has_value();
  result.minors.resize(form.rows());
  for (Eigen::Index k = 1; k <= form.rows(); ++k) {
    result.minors[k - 1] = determinant(form.topLeftCorner(k, k));
  }
  result.sylvester = result.minors.minCoeff() > 0.0;
  const Eigen::VectorXd values = symmetric_eigenvalues(form);
  result.smallest_eigenvalue = values[0];
  result.largest_eigenvalue = values[form.rows() - 1];
  return result;
}

Eigen::MatrixXd lyapunov_decrease(const Eigen::MatrixXd& A, const Eigen::MatrixXd& P, const Eigen::MatrixXd& P_rate) {
  require_square(A, "A");
  require_symmetric(P, A.rows(), "P");
  const Eigen::MatrixXd product = symmetric_part(P) * A;
  const Eigen::MatrixXd decrease = -(product + product.transpose());
  if (P_rate.size() == 0) return decrease;
  require_symmetric(P_rate, A.rows(), "dP/dt");
  return decrease - symmetric_part(P_rate);
}

}  // namespace sunlagrange
