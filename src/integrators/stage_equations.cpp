#include "integrators/stage_equations.hpp"

#include <algorithm>

namespace sunlagrange::internal {
namespace {

class OdeStages final : public StageEquations {
 public:
  explicit OdeStages(Binding& binding) : binding_(binding), ode_(binding.ode()), size_(ode_.size()), f_(size_) {}

  int num_integrated() const override { return ode_.num_integrated(); }
  EvaluationResult residual(double t, const double* y, const double* yp, double* r) override {
    ++binding_.rhs_evaluations;
    const EvaluationResult result = ode_.rhs(t, y, r);
    as_vector(r, size_) = as_vector(yp, size_) - as_vector(r, size_);
    return result;
  }

  EvaluationResult begin_step(double t, const double* y) override {
    ++binding_.rhs_evaluations;
    return ode_.rhs(t, y, f_.data());
  }
  EvaluationResult start_residual(double, const double*, const double* yp, double* r) override {
    as_vector(r, size_) = as_vector(yp, size_) - f_;
    return EvaluationResult::ok;
  }

  /// The formulation linearises when it factorises.
  EvaluationResult linearize(double t, const double* y, const double*) override {
    t_ = t;
    y_ = as_vector(y, size_);
    fresh_ = true;
    return EvaluationResult::ok;
  }
  EvaluationResult factorize(double c) override {
    if (fresh_) ++binding_.jacobian_evaluations;
    const EvaluationResult result = ode_.factorize_newton(t_, y_.data(), 1.0 / c, !fresh_);
    if (result == EvaluationResult::ok) fresh_ = false;
    return result;
  }
  EvaluationResult factorize(Complex c) override { return ode_.factorize_newton(1.0 / c); }

  EvaluationResult solve(double c, double* b) override {
    as_vector(b, size_) *= 1.0 / c;
    return ode_.solve_newton(b);
  }
  EvaluationResult solve(Complex c, Complex* b) override {
    as_vector(b, size_) *= 1.0 / c;
    return ode_.solve_newton(b);
  }

  EvaluationResult weights(double, const double* y, double* weight) override {
    ode_.weights(*binding_.tolerances, y, weight);
    return EvaluationResult::ok;
  }
  void tested(double* mask) const override { as_vector(mask, size_).setOnes(); }

  bool projects() const override { return ode_.has_projection(); }
  EvaluationResult project(double t, const double* y, double* correction, double* error) override {
    return ode_.project(t, y, correction, error);
  }

 private:
  Binding& binding_;
  OdeFormulation& ode_;
  Eigen::Index size_;
  Eigen::VectorXd f_, y_;
  double t_ = 0.0;
  bool fresh_ = false;  // linearised, not factorised yet
};

class DaeStages final : public StageEquations {
 public:
  explicit DaeStages(Binding& binding) : binding_(binding), dae_(binding.dae()) {}

  int num_integrated() const override { return dae_.num_integrated(); }
  EvaluationResult residual(double t, const double* y, const double* yp, double* r) override {
    ++binding_.rhs_evaluations;
    return dae_.residual(t, y, yp, r);
  }
  EvaluationResult begin_step(double t, const double* y) override {
    dae_.begin_step(t, y);
    return EvaluationResult::ok;
  }
  EvaluationResult linearize(double t, const double* y, const double* yp) override {
    ++binding_.jacobian_evaluations;
    return dae_.linearize_newton(t, y, yp);
  }
  EvaluationResult factorize(double c) override { return dae_.factorize_newton(c); }
  EvaluationResult factorize(Complex c) override { return dae_.factorize_newton(c); }
  EvaluationResult solve(double c, double* b) override { return dae_.solve_linear(c, b); }
  EvaluationResult solve(Complex c, Complex* b) override { return dae_.solve_linear(c, b); }
  EvaluationResult keep_least_norm(const double* y, double* correction) override {
    return dae_.keep_least_norm(y, correction);
  }
  EvaluationResult weights(double h, const double* y, double* weight) override { return dae_.weights(h, y, weight); }
  void tested(double* mask) const override {
    dae_.ids(mask);
    if (!binding_.facts.dae->settings.suppress_algebraic) as_vector(mask, dae_.size()).setOnes();
  }

 private:
  Binding& binding_;
  DaeFormulation& dae_;
};

}  // namespace

std::unique_ptr<StageEquations> make_stage_equations(Binding& binding) {
  if (binding.is_ode()) return std::make_unique<OdeStages>(binding);
  return std::make_unique<DaeStages>(binding);
}

}  // namespace sunlagrange::internal
