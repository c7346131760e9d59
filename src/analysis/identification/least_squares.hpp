#pragma once

#include <functional>

#include <Eigen/Core>

namespace sunlagrange::internal {

/// Minimise |r(x)|^2 in unknowns of the size one.
struct LeastSquaresProblem {
  Eigen::Index residuals = 0;  ///< their number, not less than that of the unknowns
  /// r(x); false: x is declined, a shorter step is tried.
  std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& r)> residual;
  /// dr/dx at the last x that was accepted; false: the search ends.
  std::function<bool(const Eigen::VectorXd& x, Eigen::MatrixXd& J)> jacobian;
};

enum class LeastSquaresEnd { converged, too_many_evaluations, declined };

/// MINPACK's lmder [More1978] as Eigen has it, columns scaled by their norms.
/// @param x          where to begin; what was found
/// @param tolerance  relative change of x that counts as none
LeastSquaresEnd minimise_least_squares(const LeastSquaresProblem& problem, double tolerance, int max_evaluations,
                                       Eigen::VectorXd& x);

}  // namespace sunlagrange::internal
