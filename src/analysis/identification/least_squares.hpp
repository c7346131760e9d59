// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include <Eigen/Core>

namespace sunlagrange::internal {

/// Minimisation of |r(x)|^2 with unknowns scaled to size one.
struct LeastSquaresProblem {
  Eigen::Index residuals = 0;  ///< number of residuals, at least the number of unknowns
  /// Computes r(x). False: x is declined, and a shorter step is tried.
  std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& r)> residual;
  /// Computes dr/dx at the last accepted x. False ends the search.
  std::function<bool(const Eigen::VectorXd& x, Eigen::MatrixXd& J)> jacobian;
};

enum class LeastSquaresEnd { converged, too_many_evaluations, declined };

/// Levenberg and Marquardt's method, MINPACK's lmder [More1978] as Eigen implements it, with columns scaled by their
/// norms.
/// @param x  in: start; out: minimum
/// @param tolerance  relative change of x at which the search ends
LeastSquaresEnd minimise_least_squares(const LeastSquaresProblem& problem, double tolerance, int max_evaluations,
                                       Eigen::VectorXd& x);

}  // namespace sunlagrange::internal
