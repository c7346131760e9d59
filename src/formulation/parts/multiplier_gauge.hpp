#pragma once

#include <memory>
#include <vector>

#include "formulation/formulation.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {

/// Multipliers of redundant constraints are not determined by the equations: Newton's corrections put rounding noise
/// into the undetermined part, and the predictor of a multistep method extrapolates it without bound. The gauge gives
/// every corrected multiplier the least norm among those with the same force G^T lambda. Active only if the constraints
/// are redundant at the start; then it costs one factorisation per Newton matrix and one solve per iteration.
class MultiplierGauge {
 public:
  MultiplierGauge(const FormulationInput& input, const LinearSolverOptions& options);

  bool active() const { return saddle_ != nullptr; }

  /// At the point of a new Newton matrix.
  EvaluationResult update(double t, const double* q, const double* v);

  /// correction := P(value + correction) - value for `rows` multipliers (all, or the g rows if there are no others),
  /// where y = P(x) solves  [M G^T; G 0] (0, y) = (G^T x, 0)  with least norm.
  EvaluationResult correct(const double* value, double* correction, int rows);

 private:
  std::unique_ptr<SaddlePointSystem> saddle_;
  Eigen::VectorXd top_, bottom_;
};

}  // namespace sunlagrange::internal
