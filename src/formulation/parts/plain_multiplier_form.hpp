#pragma once

#include "formulation/parts/multiplier_form.hpp"
#include "formulation/parts/newton_blocks.hpp"
#include "formulation/parts/right_hand_sides.hpp"

namespace sunlagrange::internal {

/// index3 and index2: y = (q, v, lambda),
///
///     q' - v = 0,     M v' + G^T lambda - f = 0,     g = 0 or g' = 0,     psi = 0.
class PlainMultiplierForm : public MultiplierForm {
 public:
  int num_integrated() const override { return n_; }
  EvaluationResult residual(double t, const double* y, const double* yp, double* r) override;
  EvaluationResult linearize_newton(double t, const double* y, const double* yp) override;
  EvaluationResult factorize_newton(double c) override { return factorize(c); }
  EvaluationResult factorize_newton(Complex c) override { return factorize(c); }
  EvaluationResult solve_newton(double c, double* b) override;
  EvaluationResult solve_linear(double c, double* b) override { return solve(c, b); }
  EvaluationResult solve_linear(Complex c, Complex* b) override { return solve(c, b); }
  EvaluationResult linearize_product(double t, const double* y, const double* yp) override;
  EvaluationResult jacobian_times(double c, const double* x, double* Jx) override;
  LinearCounts counts() const override { return newton_.counts(); }
  std::string linear_solver_description() const override { return newton_.solver_description(); }

  /// As they are where the error test sees the velocities.
  DaeFacts dae_facts() const override {
    return describe({"lambda"}, "q: rtol, atol; v: rtol, atol / T; lambda through M^-1 G^T");
  }

 protected:
  /// @param first_velocity_row  rows before it are demanded as g = 0, the others as (g', psi) = 0
  PlainMultiplierForm(const FormulationInput& input, int first_velocity_row, int num_tested);

  /// True: the correction x_q ends Newton's iteration, and is not applied.
  virtual bool stalled(const double* /*x_q*/) { return false; }

 private:
  template <class Scalar>
  EvaluationResult factorize(Scalar c);
  template <class Scalar>
  EvaluationResult solve(Scalar c, Scalar* b);

  int first_velocity_row_;
  NewtonBlocks newton_;
  RightHandSides<double> real_;
  RightHandSides<Complex> complex_;
};

}  // namespace sunlagrange::internal
