// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "linear_algebra/vector_map.hpp"
#include "sundials/binding.hpp"

namespace sunlagrange::internal {

/// A formulation as F(t, y, y') = 0 for an implicit Runge-Kutta method: y' - f(t, y), or a residual.
class StageEquations {
 public:
  virtual ~StageEquations() = default;

  /// Returns the number k of leading rows that are y_i' - y_(i + k) = 0.
  virtual int num_integrated() const { return 0; }

  virtual EvaluationResult residual(double t, const double* y, const double* yp, double* r) = 0;

  /// Call it once at the beginning of a step, before start_residual().
  virtual EvaluationResult begin_step(double /*t*/, const double* /*y*/) { return EvaluationResult::ok; }

  /// Computes r = F(t, y, yp) at the point of begin_step().
  virtual EvaluationResult start_residual(double t, const double* y, const double* yp, double* r) {
    return residual(t, y, yp, r);
  }

  /// Computes dF/dy and dF/dy' at a point; factorises dF/dy + c dF/dy' with those of the last point, real c first.
  virtual EvaluationResult linearize(double t, const double* y, const double* yp) = 0;
  virtual EvaluationResult factorize(double c) = 0;
  virtual EvaluationResult factorize(Complex c) = 0;
  virtual EvaluationResult solve(double c, double* b) = 0;
  virtual EvaluationResult solve(Complex c, Complex* b) = 0;

  /// Changes the correction so that multipliers of y + correction that the equations do not determine have least norm.
  virtual EvaluationResult keep_least_norm(const double* /*y*/, double* /*correction*/) { return EvaluationResult::ok; }

  /// Returns the number of the last unknowns if their rates, not their values, are the multipliers that
  /// keep_least_norm() changes; else 0.
  virtual Eigen::Index num_multiplier_rates() const { return 0; }

  /// Computes the error weights for step size h, 1 / tolerance.
  virtual EvaluationResult weights(double h, const double* y, double* weight) = 0;

  /// Writes 0 for unknowns that the error test leaves out, else 1.
  virtual void tested(double* mask) const = 0;

  virtual bool projects() const { return false; }
  virtual EvaluationResult project(double /*t*/, const double* /*y*/, double* /*correction*/, double* /*error*/) {
    return EvaluationResult::ok;
  }
};

/// Returns the stage equations of the formulation of a binding, which counts the evaluations.
std::unique_ptr<StageEquations> make_stage_equations(Binding& binding);

}  // namespace sunlagrange::internal
