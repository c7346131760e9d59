// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/stage_equations.hpp"

#include "formulation/parts/multiplier_gauge.hpp"

namespace sunlagrange::internal {
namespace {

/// The part that both kinds of equations share. It counts failures.
template <class Equations>
class Stages : public StageEquations {
 public:
  Stages(Binding& binding, Equations& equations)
      : binding_(binding), equations_(equations), newton_(*equations.provides().newton), size_(equations.size()) {}

  int num_integrated() const override { return equations_.num_integrated(); }

 protected:
  EvaluationResult counted(EvaluationResult result) { return binding_.failures.count(result); }

  Binding& binding_;
  Equations& equations_;
  NewtonSystem& newton_;
  Eigen::Index size_;
};

class OdeStages final : public Stages<OdeFormulation> {
 public:
  explicit OdeStages(Binding& binding)
      : Stages(binding, binding.ode()), projection_(binding.ode().provides().projection), f_(size_) {}

  EvaluationResult residual(double t, const double* y, const double* yp, double* r) override {
    ++binding_.rhs_evaluations;
    const EvaluationResult result = counted(equations_.rhs(t, y, r));
    as_vector(r, size_) = as_vector(yp, size_) - as_vector(r, size_);
    return result;
  }

  EvaluationResult begin_step(double t, const double* y) override {
    ++binding_.rhs_evaluations;
    return counted(equations_.rhs(t, y, f_.data()));
  }
  EvaluationResult start_residual(double, const double*, const double* yp, double* r) override {
    as_vector(r, size_) = as_vector(yp, size_) - f_;
    return EvaluationResult::ok;
  }

  /// Keeps the point: the Jacobian is evaluated when it is factorised.
  EvaluationResult linearize(double t, const double* y, const double*) override {
    t_ = t;
    y_ = as_vector(y, size_);
    fresh_ = true;
    return EvaluationResult::ok;
  }
  EvaluationResult factorize(double c) override {
    if (fresh_) ++binding_.jacobian_evaluations;
    gamma_ = 1.0 / c;
    const EvaluationResult result = counted(newton_.factorize_newton(t_, y_.data(), nullptr, gamma_, !fresh_));
    if (result == EvaluationResult::ok) fresh_ = false;
    return result;
  }
  EvaluationResult factorize(Complex c) override {
    complex_gamma_ = 1.0 / c;
    return counted(newton_.factorize_newton(complex_gamma_));
  }

  EvaluationResult solve(double c, double* b) override {
    as_vector(b, size_) *= 1.0 / c;
    return counted(newton_.solve_newton(gamma_, b));
  }
  EvaluationResult solve(Complex c, Complex* b) override {
    as_vector(b, size_) *= 1.0 / c;
    return counted(newton_.solve_newton(complex_gamma_, b));
  }

  EvaluationResult weights(double, const double* y, double* weight) override {
    equations_.weights(*binding_.tolerances, y, weight);
    return EvaluationResult::ok;
  }
  void tested(double* mask) const override { as_vector(mask, size_).setOnes(); }

  bool projects() const override { return projection_ != nullptr; }
  EvaluationResult project(double t, const double* y, double* correction, double* error) override {
    return counted(projection_->project(t, y, correction, error));
  }

 private:
  Projection* projection_;
  Eigen::VectorXd f_, y_;
  double t_ = 0.0;
  bool fresh_ = false;  // linearised since the last factorisation
  double gamma_ = 0.0;  // of the last factorisation
  Complex complex_gamma_ = 0.0;
};

class DaeStages final : public Stages<DaeFormulation> {
 public:
  explicit DaeStages(Binding& binding) : Stages(binding, binding.dae()) {}

  EvaluationResult residual(double t, const double* y, const double* yp, double* r) override {
    ++binding_.rhs_evaluations;
    return counted(equations_.residual(t, y, yp, r));
  }
  EvaluationResult begin_step(double t, const double* y) override {
    equations_.begin_step(t, y);
    return EvaluationResult::ok;
  }
  EvaluationResult linearize(double t, const double* y, const double* yp) override {
    ++binding_.jacobian_evaluations;
    return counted(newton_.linearize_newton(t, y, yp));
  }
  EvaluationResult factorize(double c) override { return counted(newton_.factorize_newton(c)); }
  EvaluationResult factorize(Complex c) override { return counted(newton_.factorize_newton(c)); }
  EvaluationResult solve(double c, double* b) override { return counted(newton_.solve_newton(c, b)); }
  EvaluationResult solve(Complex c, Complex* b) override { return counted(newton_.solve_newton(c, b)); }
  EvaluationResult keep_least_norm(const double* y, double* correction) override {
    MultiplierGauge* gauge = equations_.provides().gauge;
    return gauge != nullptr ? counted(gauge->correct(y, correction)) : EvaluationResult::ok;
  }
  Eigen::Index num_multiplier_rates() const override {
    const MultiplierGauge* gauge = equations_.provides().gauge;
    return gauge != nullptr ? gauge->num_rates() : 0;
  }
  EvaluationResult weights(double h, const double* y, double* weight) override {
    return equations_.weights(h, y, weight);
  }
  void tested(double* mask) const override {
    equations_.ids(mask);
    if (!binding_.facts.dae->settings.suppress_algebraic) as_vector(mask, size_).setOnes();
  }
};

}  // namespace

std::unique_ptr<StageEquations> make_stage_equations(Binding& binding) {
  if (binding.is_ode()) return std::make_unique<OdeStages>(binding);
  return std::make_unique<DaeStages>(binding);
}

}  // namespace sunlagrange::internal
