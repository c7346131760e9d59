// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include <Eigen/Core>

namespace sunlagrange::internal {

/// A system of equations F(x) = 0 with unknowns and equations scaled to size one.
struct NonlinearProblem {
  /// Computes F(x). False: x is declined, and a shorter step is tried.
  std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& F)> residual;
  /// Factorises the Jacobian at x for `solve`. False: x is declined.
  std::function<bool(const Eigen::VectorXd& x)> factorise;
  /// Returns s with J s = b, the least-squares solution if J is singular.
  std::function<Eigen::VectorXd(const Eigen::VectorXd& b)> solve;
};

struct NonlinearSolution {
  Eigen::VectorXd x;
  bool converged = false;  ///< max |F| <= tolerance
  double residual = 0.0;   ///< max |F| at x
  int iterations = 0;
  std::string ended;  ///< name of KINSOL's return flag, e.g. KIN_SUCCESS
};

/// Solves the equations by KINSOL: Newton's iteration with the exact Jacobian at every step and a line search on |F|.
/// @throws Error if SUNDIALS has no memory; what the callbacks throw
NonlinearSolution solve_by_kinsol(const NonlinearProblem& problem, const Eigen::VectorXd& start, double tolerance,
                                  int max_iterations);

}  // namespace sunlagrange::internal
