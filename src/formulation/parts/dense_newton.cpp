#include "formulation/parts/dense_newton.hpp"

#include "base/numerics.hpp"
#include "linear_algebra/dense_kernels.hpp"

namespace sunlagrange::internal {

template <class Scalar>
EvaluationResult DenseNewton::Factors<Scalar>::factorize(const Eigen::MatrixXd& J, Scalar gamma) {
  const int size = static_cast<int>(J.rows());
  ++factorizations;
  if (!are_finite(J.data(), size * size)) return EvaluationResult::not_finite;
  pivots.resize(size);
  matrix.resize(size, size);
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) matrix(i, j) = (i == j ? 1.0 : 0.0) - gamma * J(i, j);
  }
  const bool factorized = kernels::factorize_lu(size, matrix.data(), pivots.data(), 0.0);
  return factorized ? EvaluationResult::ok : EvaluationResult::singular;
}

template <class Scalar>
void DenseNewton::Factors<Scalar>::solve(Scalar* b) const {
  kernels::solve_lu(static_cast<int>(matrix.rows()), matrix.data(), pivots.data(), b);
}

template struct DenseNewton::Factors<double>;
template struct DenseNewton::Factors<Complex>;

}  // namespace sunlagrange::internal
