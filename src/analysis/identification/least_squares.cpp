// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/identification/least_squares.hpp"

#include <unsupported/Eigen/NonLinearOptimization>

#include "analysis/shared/rounding.hpp"

namespace sunlagrange::internal {
namespace {

constexpr double least_reduction = 1e-8;  // relative, of the sum of squares: far below the effect of noise

/// The interface that Eigen expects. A negative result ends the search.
struct Functor {
  const LeastSquaresProblem& problem;
  bool any_accepted = false;

  int values() const { return static_cast<int>(problem.residuals); }
  int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& r) {
    const bool good = problem.residual(x, r) && r.allFinite();
    if (!good && !any_accepted) return -1;
    if (!good) r.setConstant(problem.residuals, largest_value);  // no step may reach it
    any_accepted = true;
    return 0;
  }
  int df(const Eigen::VectorXd& x, Eigen::MatrixXd& J) const { return problem.jacobian(x, J) ? 0 : -1; }
};

}  // namespace

LeastSquaresEnd minimise_least_squares(const LeastSquaresProblem& problem, double tolerance, int max_evaluations,
                                       Eigen::VectorXd& x) {
  Functor functor{problem};
  Eigen::LevenbergMarquardt<Functor> method(functor);
  method.parameters.ftol = least_reduction;
  method.parameters.xtol = tolerance;
  method.parameters.maxfev = max_evaluations;
  method.parameters.factor = 1.0;  // first step over the size of x
  switch (method.minimize(x)) {
    case Eigen::LevenbergMarquardtSpace::UserAsked:
      return LeastSquaresEnd::declined;
    case Eigen::LevenbergMarquardtSpace::TooManyFunctionEvaluation:
      return LeastSquaresEnd::too_many_evaluations;
    default:
      return LeastSquaresEnd::converged;
  }
}

}  // namespace sunlagrange::internal
