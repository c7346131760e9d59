#pragma once

#include "formulation/parts/coupled_newton_blocks.hpp"
#include "formulation/parts/multiplier_form.hpp"
#include "formulation/parts/right_hand_sides.hpp"

namespace sunlagrange::internal {

/// ggl and stabilized_index1, which demand g = 0 and g' = 0 at once: a second multiplier mu corrects q',
///
///     (M + D) (q' - v) + G_g^T mu = 0,     M v' + G^T lambda - f = 0,     g' = 0,  psi = 0,     g = 0.
///
/// D: without it nothing would tie q' to v in coordinates without mass that only psi rows hold. They borrow the largest
/// mass. y = (q, v, lambda, mu), or (q, v, L, U) with lambda = L', mu = U'.
class StabilizedMultiplierForm : public MultiplierForm {
 public:
  EvaluationResult residual(double t, const double* y, const double* yp, double* r) override;
  EvaluationResult linearize_newton(double t, const double* y, const double* yp) override;
  EvaluationResult factorize_newton(double c) override;
  EvaluationResult factorize_newton(Complex c) override;
  EvaluationResult solve_newton(double c, double* b) override;
  EvaluationResult solve_linear(double c, double* b) override { return solve(c, b); }
  EvaluationResult solve_linear(Complex c, Complex* b) override { return solve(c, b); }

  /// Not with redundant rows: the gauge of the multipliers is for y, and Newton's solver serves both.
  bool has_sensitivities() const override { return !gauge_active(); }
  EvaluationResult linearize_sensitivities(double t, const double* y, const double* yp, const double*& a,
                                           const double*& lambda) override;
  EvaluationResult sensitivity_residual(const double* s, const double* sp, const ParameterTerms& p, double* r) override;

  EvaluationResult linearize_product(double t, const double* y, const double* yp) override;
  EvaluationResult jacobian_times(double c, const double* x, double* Jx) override;

  LinearCounts counts() const override { return newton_.counts(); }
  std::string linear_solver_description() const override { return newton_.solver_description(); }

 protected:
  StabilizedMultiplierForm(const FormulationInput& input, bool integrated_multipliers, int num_tested);

  /// The multipliers are states, lambda = L', mu = U': y changes by h where Newton's iteration with c = 1/h changes
  /// (lambda, mu) by one. Otherwise by one.
  template <class Scalar>
  Scalar change_of_unknowns(Scalar h) const {
    return layout().integrated_multipliers ? h : Scalar(1.0);
  }

  void weigh(const Workspace& w, double h, const double* y, double* weight) override;

 private:
  template <class Scalar>
  EvaluationResult solve(Scalar c, Scalar* b);
  void borrow_masses(const FormulationInput& input);
  bool evaluate_correction(double t, const double* y, const double* yp);
  void tangent_residual(const double* s, const double* sp, double* r);

  CoupledNewtonBlocks newton_;
  Eigen::VectorXd borrowed_;      // D
  Eigen::VectorXd correction_q_;  // N of CoupledNewtonBlocks
  Eigen::VectorXd difference_;    // q' - v
  Eigen::VectorXd rows_of_mu_;    // (mu, 0): the psi rows have no second multiplier
  Eigen::VectorXd zero_;
  Eigen::VectorXd rates_;  // c x of jacobian_times()
  RightHandSides<double> real_;
  RightHandSides<Complex> complex_;
};

}  // namespace sunlagrange::internal
