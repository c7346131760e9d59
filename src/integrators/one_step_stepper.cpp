// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/stepper.hpp"
#include "sundials/binding.hpp"

namespace sunlagrange::internal {
namespace {

/// Advances a formulation that is a one-step method itself, with fixed steps and without SUNDIALS.
class OneStepStepper final : public IntegratorStepper {
 public:
  OneStepStepper(const IntegratorEntry& entry, const std::shared_ptr<const MechanicalSystem>& system,
                 const MotionState& start, const StepperOptions& options)
      : t_(start.t), t_before_(start.t), t_end_(options.t_end), h_(options.step), order_(entry.order) {
    auto binding = make_binding(system, start, options.attach, Equations::one_step, entry.name.data());
    const OneStepFormulation& f = binding->one_step();
    for (auto* values : {&y_, &yp_, &trial_y_, &trial_yp_}) values->resize(static_cast<std::size_t>(f.size()));
    for (auto* values : {&q_, &v_, &q_before_, &v_before_}) values->resize(static_cast<std::size_t>(f.num_positions()));
    f.pack(start, y_.data(), yp_.data());
    binding->one_step().unpack(t_, y_.data(), yp_.data(), q_.data(), v_.data(), nullptr);
    attachment_ = std::make_unique<Attachment>(AttachmentAccess::make(std::move(binding)));
  }

  bool step(Status& status) override {
    Binding& binding = AttachmentAccess::binding(*attachment_);
    OneStepFormulation& f = binding.one_step();
    binding.failures.begin_step();
    const bool last = t_end_ - t_ <= h_ * (1.0 + 1e-6);
    const double h = last ? t_end_ - t_ : h_;
    trial_y_ = y_;
    trial_yp_ = yp_;
    EvaluationResult result = binding.failures.count(f.step(t_, h, trial_y_.data(), trial_yp_.data()));
    if (result == EvaluationResult::ok) {
      q_before_.swap(q_);
      v_before_.swap(v_);
      result = f.unpack(t_ + h, trial_y_.data(), trial_yp_.data(), q_.data(), v_.data(), nullptr);
    }
    binding.rhs_evaluations = f.residual_evaluations;
    binding.jacobian_evaluations = f.jacobian_evaluations;
    if (result != EvaluationResult::ok) {
      ++failed_;
      status = attachment_->explain("the step of " + text(h) + " s from t = " + text(t_) + " failed");
      return false;
    }
    y_.swap(trial_y_);
    yp_.swap(trial_yp_);
    t_before_ = t_;
    t_ = last ? t_end_ : t_ + h;
    ++steps_;
    return true;
  }

  void stop_at(double t) override { t_end_ = t; }

  double time() const override { return t_; }

  bool motion(double t, double* q, double* v, double* a, bool& a_known) override {
    Formulation& f = formulation();
    a_known = t == t_ && f.acceleration() == Formulation::Acceleration::own;
    if (t == t_) return f.unpack(t, y_.data(), yp_.data(), q, v, a_known ? a : nullptr) == EvaluationResult::ok;
    if (steps_ == 0 || !(t >= t_before_ && t < t_)) return false;
    interpolate(t, q, v);
    return true;
  }

  StepperCounts counts() const override {
    StepperCounts c;
    c.steps = steps_;
    c.nonlinear_failures = failed_;
    return c;
  }
  Attachment& attachment() override { return *attachment_; }
  int order() const override { return order_; }

 private:
  /// Cubic Hermite interpolation of q and v at both ends; v is its derivative.
  void interpolate(double t, double* q, double* v) const {
    const double h = t_ - t_before_;
    const double s = (t - t_before_) / h;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      const double slope = (q_[i] - q_before_[i]) / h;
      const double c2 = 3.0 * slope - 2.0 * v_before_[i] - v_[i];
      const double c3 = v_before_[i] + v_[i] - 2.0 * slope;
      q[i] = q_before_[i] + h * s * (v_before_[i] + s * (c2 + s * c3));
      v[i] = v_before_[i] + s * (2.0 * c2 + s * 3.0 * c3);
    }
  }

  std::unique_ptr<Attachment> attachment_;
  std::vector<double> y_, yp_, trial_y_, trial_yp_;
  std::vector<double> q_, v_, q_before_, v_before_;  // at the ends of the last step
  double t_, t_before_, t_end_, h_;
  int order_;
  long steps_ = 0, failed_ = 0;
};

}  // namespace

IntegratorEntry make_trapezoidal() {
  IntegratorEntry entry;
  entry.equations = Equations::one_step;
  entry.fixed_step = true;
  entry.order = 2;
  entry.make = make_stepper<OneStepStepper>;
  return entry;
}

}  // namespace sunlagrange::internal
