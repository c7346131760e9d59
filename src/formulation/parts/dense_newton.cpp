// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/dense_newton.hpp"

#include "base/numerics.hpp"
#include "linear_algebra/dense_kernels.hpp"

namespace sunlagrange::internal {

EvaluationResult DenseNewton::linearize_newton(double t, const double* y, const double* yp) {
  linearized_ = false;
  jacobian_.resize(unit_.size(), unit_.size());
  EvaluationResult result = product_.linearize_product(t, y, yp);
  for (Eigen::Index j = 0; j < unit_.size() && result == EvaluationResult::ok; ++j) {
    unit_[j] = 1.0;
    result = product_.jacobian_times(0.0, unit_.data(), jacobian_.col(j).data());
    unit_[j] = 0.0;
  }
  linearized_ = result == EvaluationResult::ok && jacobian_.size() > 0;  // without unknowns there is nothing to reuse
  return result;
}

template <class Scalar>
EvaluationResult DenseNewton::factorize(Scalar gamma) {
  const int size = static_cast<int>(unit_.size());
  auto& [matrix, pivots] = factors_.of<Scalar>();
  ++factorizations_;
  if (!are_finite(jacobian_.data(), size * size)) return EvaluationResult::not_finite;
  pivots.resize(size);
  matrix.resize(size, size);
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) matrix(i, j) = (i == j ? 1.0 : 0.0) - gamma * jacobian_(i, j);
  }
  const bool factorized = kernels::factorize_lu(size, matrix.data(), pivots.data(), 0.0);
  return factorized ? EvaluationResult::ok : EvaluationResult::singular;
}

template <class Scalar>
EvaluationResult DenseNewton::solve(Scalar, Scalar* b) {
  const auto& [matrix, pivots] = factors_.of<Scalar>();
  ++solutions_;
  kernels::solve_lu(static_cast<int>(matrix.rows()), matrix.data(), pivots.data(), b);
  return EvaluationResult::ok;
}

template EvaluationResult DenseNewton::factorize(double);
template EvaluationResult DenseNewton::factorize(Complex);
template EvaluationResult DenseNewton::solve(double, double*);
template EvaluationResult DenseNewton::solve(Complex, Complex*);

}  // namespace sunlagrange::internal
