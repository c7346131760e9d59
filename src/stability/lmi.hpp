// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <Eigen/Core>

namespace sunlagrange::internal {

/// A linear matrix inequality  constant + sum_i x_i terms[i] - s slack > 0 with symmetric matrices of one size.
struct MatrixInequality {
  Eigen::MatrixXd constant;
  std::vector<Eigen::MatrixXd> terms;
  Eigen::MatrixXd slack;
};

struct LargestSlack {
  Eigen::VectorXd x;
  double s = 0.0;     ///< the s that was reached; strictly feasible
  double gap = 0.0;   ///< the largest feasible s is at most s + gap
  int tightest = -1;  ///< index of the inequality that limits s, measured with its slack
};

/// Returns the largest s for which all inequalities hold, by the logarithmic barrier and Newton's method. (x, s) must
/// be strictly feasible at the start, and the feasible set of x bounded. The search ends when the gap is below 1e-7 |s|
/// or below `negligible`.
LargestSlack largest_slack(const std::vector<MatrixInequality>& inequalities, const Eigen::VectorXd& x, double s,
                           double negligible);

}  // namespace sunlagrange::internal
