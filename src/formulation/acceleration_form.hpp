#pragma once

#include "formulation/formulation.hpp"
#include "formulation/newton_blocks.hpp"
#include "formulation/stabilization.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange {

/// The index-0 family: y = (q, v), with v' from the saddle-point system
///
///     [ M   G^T ] [ v'     ]   [ f                            ]
///     [ G   -C  ] [ lambda ] = [ gamma - K_D g' - K_P g       ]
///
/// `unstabilized`, `baumgarte` and `penalty` are choices of (K_D, K_P, C); nothing else distinguishes them.
class AccelerationForm final : public OdeFormulation {
 public:
  AccelerationForm(const FormulationInput& input, Stabilization stabilization, const GainMatrix& compliance,
                   Settings settings);

  int size() const override { return 2 * n_; }
  void pack(const MotionState& state, double* y, double* yp) const override;
  EvaluationResult rhs(double t, const double* y, double* ydot) override;
  EvaluationResult factorize_newton(double t, const double* y, double gamma, bool reuse) override;
  EvaluationResult solve_newton(double* b) override;
  Settings settings() const override { return settings_; }
  LinearCounts counts() const override;
  std::string linear_solver_description() const override { return saddle_.solver().description(); }

  /// lambda of the last rhs(), feedback included.
  const double* multipliers() const { return lambda_.data(); }
  /// What the last solve_newton() found for gamma x_lambda, the change of gamma lambda along (x_q, x_v).
  const double* newton_multipliers() const { return bottom_.data(); }

 private:
  EvaluationResult accelerations(double t, const double* y);
  EvaluationResult evaluate_blocks(double t, const double* y);

  int n_;
  int m_;
  LinearSolverOptions options_;
  Stabilization stabilization_;
  GainMatrix compliance_;
  SaddlePointSystem saddle_;
  std::unique_ptr<NewtonBlocks> newton_;  // made at the first use: explicit methods never need it
  std::vector<double> a_, lambda_;        // v' and lambda (feedback included) of the last evaluation
  std::vector<double> top_, bottom_;
  double gamma_ = 0.0;
  Settings settings_;
};

}  // namespace sunlagrange
