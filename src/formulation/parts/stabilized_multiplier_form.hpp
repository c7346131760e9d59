#pragma once

#include "formulation/parts/coupled_newton_blocks.hpp"
#include "formulation/parts/multiplier_form.hpp"

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
  EvaluationResult factorize_newton(double t, const double* y, const double* yp, double c) override;
  EvaluationResult solve_newton(double c, double* b) override;
  LinearCounts counts() const override { return newton_.solver().counts(); }
  std::string linear_solver_description() const override { return newton_.solver().description(); }

 protected:
  StabilizedMultiplierForm(const FormulationInput& input, bool integrated_multipliers, int num_tested);

  /// Change of their unknowns in y where Newton's iteration with c = 1/h changes (lambda, mu) by one.
  virtual double change_of_unknowns(double h) const = 0;

  void weigh(double h, const double* y, double* weight) override;

 private:
  void borrow_masses(const FormulationInput& input);
  bool evaluate_correction(double t, const double* y, const double* yp);

  CoupledNewtonBlocks newton_;
  Eigen::VectorXd borrowed_;      // D
  Eigen::VectorXd correction_q_;  // N of CoupledNewtonBlocks
  Eigen::VectorXd difference_;    // q' - v
  Eigen::VectorXd rows_of_mu_;    // (mu, 0): the psi rows have no second multiplier
  Eigen::VectorXd zero_;
  Eigen::VectorXd top_, bottom_;
};

}  // namespace sunlagrange::internal
