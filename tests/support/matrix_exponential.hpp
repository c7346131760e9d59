// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

namespace sunlagrange::test {

/// exp(A): Taylor polynomial of degree 18 at A/2^k, |A/2^k| <= 1/2, squared k times. The transition matrix of y' = A y,
/// found without eigenvalues or forms.
inline Eigen::MatrixXd exponential(const Eigen::MatrixXd& A) {
  const int k = std::max(0, static_cast<int>(std::ceil(std::log2(2.0 * A.norm() + 1e-300))));
  const Eigen::MatrixXd X = A * std::exp2(-k);
  Eigen::MatrixXd term = Eigen::MatrixXd::Identity(A.rows(), A.cols()), sum = term;
  for (int i = 1; i <= 18; ++i) {
    term = term * X / i;
    sum += term;
  }
  for (int i = 0; i < k; ++i) sum = (sum * sum).eval();
  return sum;
}

}  // namespace sunlagrange::test
