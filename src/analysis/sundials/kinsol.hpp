#pragma once

#include <functional>
#include <string>

#include <Eigen/Core>

namespace sunlagrange::internal {

/// F(x) = 0, in unknowns and equations that are all of the size one.
struct NonlinearProblem {
  /// F(x); false: x is declined, a shorter step is tried.
  std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& F)> residual;
  /// Makes the Jacobian at x ready for `solve`; false: declined.
  std::function<bool(const Eigen::VectorXd& x)> factorise;
  /// A step s with J s = b, in the sense of least squares where J is singular.
  std::function<Eigen::VectorXd(const Eigen::VectorXd& b)> solve;
};

struct NonlinearSolution {
  Eigen::VectorXd x;
  bool converged = false;  ///< max |F| <= tolerance
  double residual = 0.0;   ///< max |F| at x
  int iterations = 0;
  std::string ended;  ///< how KINSOL says it ended, e.g. KIN_SUCCESS
};

/// KINSOL: Newton's iteration with an exact Jacobian at every step, and a line search on |F|.
/// @throws Error if SUNDIALS has no memory; what the callbacks throw
NonlinearSolution solve_by_kinsol(const NonlinearProblem& problem, const Eigen::VectorXd& start, double tolerance,
                                  int max_iterations);

}  // namespace sunlagrange::internal
