// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <memory>

#include "formulation/formulation.hpp"
#include "formulation/parts/dae_weights.hpp"
#include "formulation/parts/multiplier_gauge.hpp"

namespace sunlagrange::internal {

/// Common part of index3, index2, ggl and stabilized_index1: y = (q, v, multipliers), the equations of motion, error
/// weights, the gauge of redundant multipliers, and the settings IDA needs. The remaining equations and their Newton
/// systems are in PlainMultiplierForm and StabilizedMultiplierForm.
class MultiplierForm : public DaeFormulation {
 public:
  void begin_step(double t, const double* y) final;
  EvaluationResult weights(double h, const double* y, double* weight) final;
  EvaluationResult complete_correction(double* b) override;

 protected:
  /// @param num_tested  number of leading unknowns in the error test; the others are masked
  MultiplierForm(const FormulationInput& input, const StateLayout& layout, int num_tested);

  /// Evaluates M, f, g, (g', psi), G at the point of a residual, and keeps y for the gauge. Returns null if the model
  /// declines the point.
  const Workspace* evaluate(double t, const double* y);

  /// Keeps the multipliers of a residual for the gauge, where they are rates of unknowns. @param multipliers  as y
  void keep_multipliers(const double* multipliers);

  /// r_v = M v' + G^T lambda - f at the evaluated point.
  static void equations_of_motion(const Workspace& w, const ConstVectorMap& a, const ConstVectorMap& lambda,
                                  VectorMap r_v);

  /// Returns not_finite if an entry of the residual is not finite.
  EvaluationResult checked(const double* r) const;

  /// Evaluates the tangent and saddle-point blocks in the workspace.
  EvaluationResult evaluate_tangents(double t, const double* y, const double* a, const double* lambda);

  /// Evaluates them for a Newton matrix, in the workspace of linearized(), and renews the gauge.
  EvaluationResult linearize(double t, const double* y, const double* a, const double* lambda);
  const Workspace& linearized() const { return *newton_workspace_; }

  /// Computes error weights at the point in w, for step size h > 0. Default: q: rtol, atol; v: rtol, atol / T; lambda
  /// through M^-1 G^T, times h.
  virtual void compute_weights(const Workspace& w, double h, const double* y, double* weight);

  /// Settings of the form. User's overrides are no part of them.
  DaeFacts& dae() { return *facts_.dae; }

  int n_, m_, m_g_;
  LinearSolverOptions options_;
  std::unique_ptr<Workspace> workspace_;
  DaeWeights weights_;
  std::shared_ptr<const MechanicalSystem> system_;
  double multipliers_per_unknown_ = 1.0;  // by which a correction of the last unknowns changes the multipliers

 private:
  /// The point of begin_step(), if it was called, with what its residual needs: evaluated once, and with the rest.
  struct Start {
    std::unique_ptr<Workspace> workspace;
    double t = NAN;
    bool evaluated = false;
    Eigen::VectorXd q_v;

    bool is_at(double time, const double* y) const;
  };
  Workspace* evaluate(double t, const double* y, unsigned what);

  Start start_;
  Workspace* newton_workspace_ = nullptr;
  double time_;  // of the last residual or begin of a step: IDA's weight function gets no time
  MultiplierGauge gauge_;
  Eigen::VectorXd y_;  // at the last residual, for the gauge
};

}  // namespace sunlagrange::internal
