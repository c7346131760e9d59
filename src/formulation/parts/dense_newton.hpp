#pragma once

#include <Eigen/Core>

#include "linear_algebra/vector_map.hpp"
#include "linear_solver/evaluation_result.hpp"

namespace sunlagrange::internal {

/// I - gamma J by dense LU, for formulations that integrate few unknowns and form J; real and complex gamma, with
/// factors side by side.
class DenseNewton {
 public:
  Eigen::MatrixXd jacobian;  ///< J; empty: not evaluated

  EvaluationResult factorize(double gamma) { return real_.factorize(jacobian, gamma); }
  EvaluationResult factorize(Complex gamma) { return complex_.factorize(jacobian, gamma); }

  /// In: b, out: (I - gamma J)^-1 b.
  void solve(double* b) const { real_.solve(b); }
  void solve(Complex* b) const { complex_.solve(b); }

  long factorizations() const { return real_.factorizations + complex_.factorizations; }

 private:
  template <class Scalar>
  struct Factors {
    EvaluationResult factorize(const Eigen::MatrixXd& J, Scalar gamma);
    void solve(Scalar* b) const;

    Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> matrix;
    Eigen::VectorXi pivots;
    long factorizations = 0;
  };

  Factors<double> real_;
  Factors<Complex> complex_;
};

}  // namespace sunlagrange::internal
