#pragma once

#include <cmath>
#include <memory>

#include "formulation/formulation.hpp"
#include "formulation/parts/dae_weights.hpp"
#include "formulation/parts/multiplier_gauge.hpp"

namespace sunlagrange::internal {

/// What index3, index2, ggl and stabilized_index1 share: y = (q, v, multipliers), the equations of motion, error
/// weights, the gauge of redundant multipliers, and the settings IDA needs. The remaining equations and their Newton
/// system are those of PlainMultiplierForm or StabilizedMultiplierForm.
class MultiplierForm : public DaeFormulation {
 public:
  Acceleration acceleration() const override { return Acceleration::ideal; }
  void begin_step(double t, const double* y) final;
  void ids(double* id) const override;
  EvaluationResult weights(double h, const double* y, double* weight) final;
  EvaluationResult keep_least_norm(const double* y, double* correction) final { return gauge(y + 2 * n_, correction); }
  FormulationFacts facts() const override;

 protected:
  /// @param num_tested  components of y in the error test, from the first on; the others are masked
  MultiplierForm(const FormulationInput& input, const StateLayout& layout, int num_tested);

  /// M, f, g, (g', psi), G at the point of a residual, null if it is declined; keeps the multipliers there, for the
  /// gauge.
  const Workspace* evaluate(double t, const double* y);

  /// r_v = M v' + G^T lambda - f at the evaluated point.
  static void equations_of_motion(const Workspace& w, const ConstVectorMap& a, const ConstVectorMap& lambda,
                                  VectorMap r_v);

  /// Counts a residual with entries that are no numbers as a failure.
  EvaluationResult checked(const double* r);

  /// Tangent and saddle-point blocks in the workspace.
  bool evaluate_tangents(double t, const double* y, const double* a, const double* lambda);

  /// The same in the workspace of linearized(), for a Newton matrix: gauge renewed.
  EvaluationResult linearize(double t, const double* y, const double* a, const double* lambda);
  const Workspace& linearized() const { return *linearized_; }

  /// Are multipliers redundant at the start?
  bool gauge_active() const { return gauge_.active(); }

  /// gauge() for the multipliers of the last residual.
  EvaluationResult gauged(double* correction) { return gauge(multipliers_.data(), correction); }

  /// Error weights at the point in w, step size h > 0. As written here: q: rtol, atol; v: rtol, atol / T; lambda
  /// through M^-1 G^T, times h.
  virtual void weigh(const Workspace& w, double h, const double* y, double* weight);

  /// The facts of a form with these masked unknowns and error weights.
  DaeFacts describe(std::vector<std::string> algebraic, const char* error_weights) const;

  int n_, m_, m_g_;
  LinearSolverOptions options_;
  std::unique_ptr<Workspace> workspace_;
  DaeWeights weights_;
  DaeSettings settings_;
  std::shared_ptr<const MechanicalSystem> system_;

 private:
  EvaluationResult gauge(const double* multipliers, double* correction);

  /// The point of begin_step(), if it was called.
  struct Start {
    std::unique_ptr<Workspace> workspace;
    double t = NAN;
    bool evaluated = false;
    Eigen::VectorXd q_v;

    bool is(double time, const double* y) const;
  };
  Workspace* evaluate(double t, const double* y, unsigned what);

  int num_tested_;
  Start start_;
  Workspace* linearized_ = nullptr;
  double time_;  // of the last residual or begin of a step: IDA's weight function gets no time
  MultiplierGauge gauge_;
  Eigen::VectorXd multipliers_;  // y behind (q, v) at the last residual, for the gauge
};

}  // namespace sunlagrange::internal
