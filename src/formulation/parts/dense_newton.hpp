// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include "formulation/capabilities.hpp"
#include "formulation/parts/real_and_complex.hpp"

namespace sunlagrange::internal {

/// Newton systems of ODE forms with few unknowns: J column by column from Jacobian products, and a dense LU of
/// I - gamma J.
class DenseNewton final : public NewtonSystemOf<DenseNewton> {
 public:
  /// @param size  order of J: products with the unit vectors of that length give its columns
  DenseNewton(JacobianProduct& product, int size) : product_(product), unit_(Eigen::VectorXd::Zero(size)) {}

  EvaluationResult linearize_newton(double t, const double* y, const double* yp) override;
  template <class Scalar>
  EvaluationResult factorize(Scalar gamma);
  template <class Scalar>
  EvaluationResult solve(Scalar gamma, Scalar* b);

  /// Makes the next factorisation evaluate J.
  void invalidate() { linearized_ = false; }

  long factorizations() const { return factorizations_; }
  long solutions() const { return solutions_; }

 private:
  template <class Scalar>
  struct Factors {
    Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> matrix;
    Eigen::VectorXi pivots;
  };

  JacobianProduct& product_;
  Eigen::VectorXd unit_;  // zeros but for the column that is evaluated
  Eigen::MatrixXd jacobian_;
  RealAndComplex<Factors> factors_;
  long factorizations_ = 0, solutions_ = 0;
};

}  // namespace sunlagrange::internal
