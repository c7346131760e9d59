#pragma once

#include <memory>
#include <vector>

#include "linear_algebra/vector_map.hpp"
#include "sundials/binding.hpp"

namespace sunlagrange::internal {

/// F(t, y, y') = 0 as an implicit Runge-Kutta method sees a formulation, whether that is y' - f(t, y) or a residual.
class StageEquations {
 public:
  virtual ~StageEquations() = default;

  /// y_i' = y_(i + k) for the first k unknowns is all that the first k rows say.
  virtual int num_integrated() const { return 0; }

  virtual EvaluationResult residual(double t, const double* y, const double* yp, double* r) = 0;

  /// Called once where a step begins, before start_residual().
  virtual EvaluationResult begin_step(double /*t*/, const double* /*y*/) { return EvaluationResult::ok; }

  /// r = F(t, y, yp) at the point of begin_step().
  virtual EvaluationResult start_residual(double t, const double* y, const double* yp, double* r) {
    return residual(t, y, yp, r);
  }

  /// dF/dy and dF/dy' at a point, and dF/dy + c dF/dy' with those of the last one; real first.
  virtual EvaluationResult linearize(double t, const double* y, const double* yp) = 0;
  virtual EvaluationResult factorize(double c) = 0;
  virtual EvaluationResult factorize(Complex c) = 0;
  virtual EvaluationResult solve(double c, double* b) = 0;
  virtual EvaluationResult solve(Complex c, Complex* b) = 0;

  /// Multipliers that the equations do not determine: y + correction gets those of least norm.
  virtual EvaluationResult keep_least_norm(const double* /*y*/, double* /*correction*/) { return EvaluationResult::ok; }

  /// Error weights for step size h, 1 / tolerance.
  virtual EvaluationResult weights(double h, const double* y, double* weight) = 0;

  /// 0 for unknowns that the error test leaves out, else 1.
  virtual void tested(double* mask) const = 0;

  virtual bool projects() const { return false; }
  virtual EvaluationResult project(double /*t*/, const double* /*y*/, double* /*correction*/, double* /*error*/) {
    return EvaluationResult::ok;
  }
};

/// Those of the formulation of a binding, which counts their evaluations.
std::unique_ptr<StageEquations> make_stage_equations(Binding& binding);

}  // namespace sunlagrange::internal
