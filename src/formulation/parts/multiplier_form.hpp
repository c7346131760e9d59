#pragma once

#include "formulation/parts/coupled_newton_blocks.hpp"
#include "formulation/parts/dae_weights.hpp"
#include "formulation/formulation.hpp"
#include "formulation/parts/multiplier_gauge.hpp"
#include "formulation/parts/newton_blocks.hpp"

namespace sunlagrange {

/// What distinguishes the DAE forms that demand the constraints themselves.
struct ConstraintLevels {
  bool position = false;                ///< g = 0 is demanded
  bool velocity = false;                ///< g' = 0 is demanded; both: a second multiplier mu corrects q'
  bool integrated_multipliers = false;  ///< y holds L and U with lambda = L', mu = U'
};

/// The family index3, index2, ggl, stabilized_index1: y = (q, v, lambda) or (q, v, lambda, mu), with
///
///     q' - v = 0   or   M (q' - v) + G_g^T mu = 0
///     M v' + G^T lambda - f = 0
///     g = 0 and/or g' = 0,   psi = 0
class MultiplierForm final : public DaeFormulation {
 public:
  MultiplierForm(const FormulationInput& input, ConstraintLevels levels);

  int size() const override { return 2 * n_ + m_ + m_mu_; }
  void pack(const MotionState& state, double* y, double* yp) const override;
  Acceleration acceleration() const override { return Acceleration::ideal; }
  EvaluationResult residual(double t, const double* y, const double* yp, double* r) override;
  EvaluationResult factorize_newton(double t, const double* y, const double* yp, double c) override;
  EvaluationResult solve_newton(double c, double* b) override;
  void ids(double* id) const override;
  EvaluationResult weights(double h, const double* y, double* weight) override;
  DaeSettings dae_settings() const override { return settings_; }
  Settings settings() const override;
  LinearCounts counts() const override;
  std::string linear_solver_description() const override;

 private:
  bool corrected() const { return m_mu_ > 0; }
  bool masked_velocities() const { return !levels_.velocity; }
  void borrow_masses(const FormulationInput& input);
  bool evaluate_correction(double t, const double* y, const double* yp);
  double max_abs(const double* q) const;
  bool stalled_at_rounding(const double* x_q);
  void solve_plain(const double* b_q, const double* b_rows);
  void solve_corrected(const double* b_q, const double* b_rows);

  ConstraintLevels levels_;
  int n_, m_, m_g_, m_mu_;
  double h_ = 0.0;                 // 1 / c of the present Newton iteration
  double time_ = 0.0;              // of the last residual: IDA's weight function gets no time
  double largest_position_ = 0.0;  // at the last Jacobian
  double last_correction_ = 0.0;   // max |x_q|
  std::shared_ptr<const MechanicalSystem> system_;
  LinearSolverOptions options_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<NewtonBlocks> plain_;  // exactly one of these two
  std::unique_ptr<CoupledNewtonBlocks> coupled_;
  DaeWeights weights_;
  MultiplierGauge gauge_;
  std::vector<double> multipliers_;  // (lambda, mu) or (L, U) of the last residual, for the gauge
  std::vector<double> top_, bottom_, difference_;
  std::vector<double> correction_q_;  // N of CoupledNewtonBlocks
  std::vector<double> borrowed_;      // D of CoupledNewtonBlocks
  std::vector<double> zero_;
  DaeSettings settings_;
};

}  // namespace sunlagrange
