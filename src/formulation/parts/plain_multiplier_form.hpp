// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/parts/multiplier_form.hpp"
#include "formulation/parts/newton_blocks.hpp"
#include "formulation/parts/right_hand_sides.hpp"

namespace sunlagrange::internal {

/// index3 and index2: y = (q, v, lambda),
///
///     q' - v = 0,     M v' + G^T lambda - f = 0,     g = 0 or g' = 0,     psi = 0.
class PlainMultiplierForm : public MultiplierForm, public NewtonSystemOf<PlainMultiplierForm>, public JacobianProduct {
 public:
  EvaluationResult residual(double t, const double* y, const double* yp, double* r) override;

  EvaluationResult linearize_newton(double t, const double* y, const double* yp) override;
  template <class Scalar>
  EvaluationResult factorize(Scalar c);
  template <class Scalar>
  EvaluationResult solve(Scalar c, Scalar* b);

  EvaluationResult linearize_product(double t, const double* y, const double* yp) override;
  EvaluationResult jacobian_times(double c, const double* x, double* Jx) override;
  SparsePattern jacobian_pattern() const override;

  FormulationCounts counts() const override { return newton_.counts(); }
  std::string linear_solver_description() const override { return newton_.solver_description(); }

 protected:
  /// @param first_velocity_row  rows before it are imposed as g = 0, the others as (g', psi) = 0
  PlainMultiplierForm(const FormulationInput& input, int first_velocity_row, int num_tested);

 private:
  int first_velocity_row_;
  NewtonBlocks newton_;
  RealAndComplex<RightHandSides> sides_;
};

}  // namespace sunlagrange::internal
