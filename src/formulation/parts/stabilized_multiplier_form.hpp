// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/parts/coupled_newton_blocks.hpp"
#include "formulation/parts/multiplier_form.hpp"
#include "formulation/parts/right_hand_sides.hpp"

namespace sunlagrange::internal {

/// ggl and stabilized_index1 impose g = 0 and g' = 0 at once. A second multiplier mu corrects q':
///
///     (M + D) (q' - v) + G_g^T mu = 0,     M v' + G^T lambda - f = 0,     g' = 0,  psi = 0,     g = 0.
///
/// D gives coordinates without mass that only psi rows hold the largest mass: without it nothing would tie their q' to
/// v. y = (q, v, lambda, mu), or (q, v, L, U) with lambda = L', mu = U'.
class StabilizedMultiplierForm : public MultiplierForm,
                                 public NewtonSystemOf<StabilizedMultiplierForm>,
                                 public JacobianProduct,
                                 public SensitivityEquations {
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

  EvaluationResult linearize_sensitivities(double t, const double* y, const double* yp, const double*& a,
                                           const double*& lambda) override;
  EvaluationResult sensitivity_equations(const double* s, const double* sp, const ParameterTerms& p,
                                         double* r) override;

  FormulationCounts counts() const override { return newton_.counts(); }
  std::string linear_solver_description() const override { return newton_.solver_description(); }

 protected:
  StabilizedMultiplierForm(const FormulationInput& input, bool integrated_multipliers, int num_tested);

  /// Returns the change of y where Newton's iteration with c = 1/h changes (lambda, mu) by one: h if the multipliers
  /// are derivatives of states, lambda = L', mu = U', else one.
  template <class Scalar>
  Scalar change_of_unknowns(Scalar h) const {
    return layout().integrated_multipliers ? h : Scalar(1.0);
  }

  void compute_weights(const Workspace& w, double h, const double* y, double* weight) override;

 private:
  void add_masses(const FormulationInput& input);
  EvaluationResult evaluate_correction(double t, const double* y, const double* yp);
  void position_rows(const Workspace& w, const double* y, const double* yp, const double* multipliers, double* r);
  void tangent_residual(const double* s, const double* sp, double* r);

  CoupledNewtonBlocks newton_;
  Eigen::VectorXd added_masses_;  // D
  Eigen::VectorXd correction_q_;  // N of CoupledNewtonBlocks
  Eigen::VectorXd difference_;    // q' - v
  Eigen::VectorXd rows_of_mu_;    // (mu, 0): the psi rows have no second multiplier
  Eigen::VectorXd zero_;
  Eigen::VectorXd rates_;  // c x of jacobian_times()
  RealAndComplex<RightHandSides> sides_;
};

}  // namespace sunlagrange::internal
