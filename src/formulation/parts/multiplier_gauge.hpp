// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "formulation/formulation.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {

/// Keeps redundant multipliers at least norm. The equations do not determine them: Newton's corrections put rounding
/// errors into the undetermined part, and the predictor of a multistep method extrapolates these without bound. The
/// gauge gives every corrected multiplier the least norm among those with the same force G^T lambda. It is active only
/// if the constraints are redundant at the start; then it costs one factorisation per Newton matrix and one solve per
/// iteration.
class MultiplierGauge {
 public:
  MultiplierGauge(const FormulationInput& input, const StateLayout& layout, const LinearSolverOptions& options);

  bool active() const { return saddle_ != nullptr; }

  /// Returns the number of the multipliers if they are rates of unknowns, else 0. correct() takes such rates in the
  /// places of the unknowns.
  int num_rates() const { return layout_.integrated_multipliers ? layout_.m + layout_.m_mu : 0; }

  /// Takes the point of a new Newton matrix.
  EvaluationResult update(double t, const double* q, const double* v);

  /// Changes the correction of y so that lambda and mu of y + correction have least norm.
  EvaluationResult correct(const double* y, double* correction);

 private:
  EvaluationResult correct(const ConstVectorMap& value, VectorMap change);

  StateLayout layout_;
  std::unique_ptr<PointEvaluator> evaluator_;  // null unless active
  std::unique_ptr<SaddlePointSystem> saddle_;
  Eigen::VectorXd top_, bottom_;
};

}  // namespace sunlagrange::internal
