#include "analysis/identification/least_squares.hpp"

#include <unsupported/Eigen/NonLinearOptimization>

namespace sunlagrange::internal {
namespace {

constexpr double least_reduction = 1e-8;  // of the sum of squares, relative: far below what noise changes
constexpr double first_step = 1.0;        // over the size of x
constexpr double declined = 1e100;        // a residual that no step is taken for

/// The interface that Eigen expects. A negative result ends the search.
struct Functor {
  const LeastSquaresProblem& problem;
  bool any_accepted = false;

  int values() const { return static_cast<int>(problem.residuals); }
  int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& r) {
    const bool good = problem.residual(x, r) && r.allFinite();
    if (!good && !any_accepted) return -1;
    if (!good) r.setConstant(problem.residuals, declined);
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
  method.parameters.factor = first_step;
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
