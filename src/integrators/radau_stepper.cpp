// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include <sunlagrange/base/bisection.hpp>

#include "base/words.hpp"
#include "integrators/radau.hpp"
#include "integrators/stepper.hpp"
#include "model/motion_scales.hpp"

namespace sunlagrange::internal {
namespace {

/// Returns the kind of equations of the formulation: ODE and DAE forms are integrated. (One-step forms are then refused
/// because they are no DAE forms.)
Equations equations_of(const AttachOptions& options) {
  const Equations equations = find_formulation(options.formulation).equations;
  return equations == Equations::one_step ? Equations::dae : equations;
}

class RadauStepper final : public IntegratorStepper {
 public:
  RadauStepper(const IntegratorEntry&, const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
               const StepperOptions& options)
      : t_(start.t), t_end_(options.t_end), roots_(options.roots) {
    auto binding = make_binding(system, start, options.attach, equations_of(options.attach), "radau");
    const RadauOptions settings = radau_options(*binding, *system, start, options);
    equations_ = make_stage_equations(*binding);
    Formulation& f = binding->formulation();
    const auto size = static_cast<std::size_t>(f.size());
    values_.resize(size);
    rates_.resize(size);
    f.pack(start, values_.data(), rates_.data());
    radau_ = std::make_unique<Radau>(*equations_, start.t, values_, rates_, settings);
    attachment_ = std::make_unique<Attachment>(AttachmentAccess::make(std::move(binding)));
    if (roots_.directions.empty()) return;
    const auto n = static_cast<std::size_t>(system->num_positions());
    for (auto* x : {&root_q_, &root_v_}) x->resize(n);
    values_of_roots_.resize(roots_.directions.size());
    signs_.assign(roots_.directions.size(), unknown);
  }

  bool step(Status& status) override {
    AttachmentAccess::binding(*attachment_).failures.begin_step();
    found_.clear();
    Binding& binding = AttachmentAccess::binding(*attachment_);
    if (started_ && binding.is_ode() && binding.ode().change_variables(t_, radau_->y())) radau_->restart();
    if (!started_ && !roots_.directions.empty()) {
      evaluate_roots(t_);
      for (std::size_t k = 0; k < signs_.size(); ++k) {
        const int now = sign(values_of_roots_[k]);
        signs_[k] = now == 0 ? unknown : now;  // the sign behind the start counts
      }
    }
    started_ = true;
    if (!radau_->step(t_end_)) {
      status = failed();
      return false;
    }
    if (!roots_.directions.empty()) find_roots();
    t_ = radau_->time();
    return true;
  }

  void stop_at(double t) override { t_end_ = t; }

  void limit_steps(double longest) override { radau_->limit_steps(longest); }

  const std::vector<int>& roots_found() const override { return found_; }
  double time() const override { return t_; }
  int order() const override { return 5; }

  bool motion(double t, double* q, double* v, double* a, bool& a_known) override {
    Formulation& f = formulation();
    const double* y = radau_->y();
    const double* yp = radau_->yp();
    if (t != t_) {
      if (radau_->counts().steps == 0 || t < radau_->begin_of_last() || t > t_) return false;
      radau_->interpolate(t, values_.data());
      radau_->interpolate_slope(t, rates_.data());
      y = values_.data();
      yp = rates_.data();
    }
    a_known = f.acceleration() != Formulation::Acceleration::ideal;
    return f.unpack(t, y, yp, q, v, a_known ? a : nullptr) == EvaluationResult::ok;
  }

  StepperCounts counts() const override {
    const RadauCounts& r = radau_->counts();
    StepperCounts c;
    c.steps = r.steps;
    c.error_test_failures = r.error_test_failures;
    c.nonlinear_failures = r.newton_failures;
    c.nonlinear_iterations = r.newton_iterations;
    return c;
  }
  Attachment& attachment() override { return *attachment_; }

 private:
  /// Replaces the settings of a DAE form for IDA, except its masks and the values that the user has chosen.
  static RadauOptions radau_options(Binding& binding, const MechanicalSystem& system, const MotionState& start,
                                    const StepperOptions& options) {
    RadauOptions o;
    o.tolerance = options.attach.rtol > 0.0 ? options.attach.rtol : options.attach.atol;
    o.newton_tolerance = radau_newton_tolerance(o.tolerance);
    o.max_step = options.max_step;
    o.initial_step = first_step(*binding.tolerances, system, start, options.t_end - start.t);
    if (binding.is_ode()) return o;
    DaeFacts& dae = *binding.facts.dae;
    o.initial_step = dae.asked.initial_step.value_or(o.initial_step);
    o.newton_tolerance = dae.asked.nonlinear_coefficient.value_or(o.newton_tolerance);
    o.max_iterations = dae.asked.max_nonlinear_iterations.value_or(o.max_iterations);
    dae.settings = {dae.settings.suppress_algebraic, o.newton_tolerance, o.max_iterations, o.initial_step};
    return o;
  }

  /// Returns the first step: the change of q by v and a, in tolerances, is taken as proportional to the fourth power of
  /// the step, the order of the error estimate.
  static double first_step(const ErrorTolerances& tolerances, const MechanicalSystem& system, const MotionState& start,
                           double span) {
    const double T = characteristic_scales(system, start).time;
    double change = 0.0;  // in the time T
    for (int i = 0; i < system.num_positions(); ++i) {
      const double displacement = std::max(std::abs(start.v[i]), std::abs(start.a[i]) * T) * T;
      change = std::max(change, displacement / tolerances.of(i, start.q[i]));
    }
    return std::min(0.1 * span, T / std::pow(1.0 + 10.0 * change, 0.25));
  }

  Status failed() {
    if (radau_->failure() == Radau::Failure::evaluation)
      return attachment_->explain("radau: the step size fell to nothing at t = " + text(t_));
    const bool newton = radau_->failure() == Radau::Failure::newton;
    return attachment_->explain("radau", newton ? -4 : -3, newton ? "CONV_FAIL" : "ERR_FAIL", t_);
  }

  static constexpr int unknown = 2;  ///< no sign

  static int sign(double x) { return std::isnan(x) ? unknown : x > 0.0 ? 1 : (x < 0.0 ? -1 : 0); }

  /// Evaluates the root functions at a time inside the last step, or at its ends.
  void evaluate_roots(double t) {
    const double* y = radau_->y();
    if (t != radau_->time()) {
      radau_->interpolate(t, values_.data());
      y = values_.data();
    }
    if (formulation().unpack(t, y, nullptr, root_q_.data(), root_v_.data(), nullptr) == EvaluationResult::ok)
      roots_.evaluate(t, root_q_.data(), root_v_.data(), values_of_roots_.data());
  }

  /// Returns the change of the sign of root function k if it counts when the sign is now `now`, else 0.
  int change(std::size_t k, int now) const {
    if (now == unknown || signs_[k] == unknown || now == signs_[k]) return 0;
    const int direction = now > signs_[k] ? 1 : -1;
    return roots_.directions[k] == -direction ? 0 : direction;
  }

  /// Ends the last step at the first root in it. The polynomial has a lower order than the step, so the step is
  /// repeated up to the root of the polynomial; the polynomial of the repeated step is accurate near its end.
  void find_roots() {
    const double begin = radau_->begin_of_last(), end = radau_->time();
    const std::optional<double> root = first_root(begin, end);
    if (!root.has_value()) return;
    double t = *root;
    if (t < end) {
      const bool repeated = t - begin > shortest_repeated * (end - begin) && radau_->repeat_until(t);
      if (repeated) t = root_near_end(begin);
      if (t != radau_->time()) radau_->end_at(t);
    }
    found_.assign(signs_.size(), 0);
    for (const std::size_t k : crossing_) {
      found_[k] = change(k, signs_behind_[k]);
      signs_[k] = signs_behind_[k];
    }
  }

  /// True if a function in crossing_ has changed its sign at t.
  bool crossed(double t) {
    evaluate_roots(t);
    return std::any_of(crossing_.begin(), crossing_.end(),
                       [&](std::size_t k) { return change(k, sign(values_of_roots_[k])) != 0; });
  }

  /// Returns the root of the functions in crossing_ near the end of the repeated step.
  double root_near_end(double begin) {
    const double end = radau_->time(), h = end - begin;
    const bool beyond = crossed(end);
    for (double reach = 1e-10 * h; reach <= 0.1 * h; reach *= 10.0) {
      const double other = beyond ? end - reach : end + reach;
      if (other <= t_end_ && crossed(other) != beyond)
        return beyond ? root_between(other, end) : root_between(end, other);
    }
    return end;
  }

  /// Returns the first root in the step. crossing_ then holds the functions that cross there, and signs_ the signs of
  /// all others there.
  std::optional<double> first_root(double begin, double end) {
    double from = begin;
    for (const double s : sample_points) {
      const double to = s == 1.0 ? end : begin + s * (end - begin);
      evaluate_roots(to);
      crossing_.clear();
      for (std::size_t k = 0; k < signs_.size(); ++k) {
        if (change(k, sign(values_of_roots_[k])) != 0) crossing_.push_back(k);
      }
      if (!crossing_.empty()) return root_between(from, to);
      for (std::size_t k = 0; k < signs_.size(); ++k) {
        if (const int now = sign(values_of_roots_[k]); now != unknown) signs_[k] = now;
      }
      from = to;
    }
    return std::nullopt;
  }

  /// Returns the first change of sign of the functions in crossing_, which then holds only those that change there.
  double root_between(double from, double to) {
    const double width = 1e-14 * std::max(std::abs(from), std::abs(to));
    const double t = bisect([&](double s) { return !crossed(s); }, {from, to}, width).out;
    evaluate_roots(t);
    signs_behind_.resize(signs_.size());
    for (std::size_t k = 0; k < signs_.size(); ++k) signs_behind_[k] = sign(values_of_roots_[k]);
    crossing_.erase(std::remove_if(crossing_.begin(), crossing_.end(),
                                   [&](std::size_t k) { return change(k, signs_behind_[k]) == 0; }),
                    crossing_.end());
    return t;
  }

  static constexpr double shortest_repeated = 1e-9;  // of repeated steps, in parts of the step
  /// Points at which the polynomial is examined for changes of sign, in parts of the step. The first is early, because
  /// it gives the sign of functions that vanish at the beginning.
  static constexpr double sample_points[] = {0.01, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0};

  std::unique_ptr<StageEquations> equations_;
  std::unique_ptr<Attachment> attachment_;
  std::unique_ptr<Radau> radau_;
  std::vector<double> values_, rates_;
  double t_, t_end_;
  bool started_ = false;
  RootFunctions roots_;
  std::vector<int> found_, signs_, signs_behind_;  // behind the root
  std::vector<std::size_t> crossing_;
  std::vector<double> root_q_, root_v_, values_of_roots_;
};

}  // namespace

IntegratorEntry make_radau() {
  IntegratorEntry entry;
  entry.equations = Equations::dae;
  entry.odes_too = true;
  entry.kind = IntegratorKind::bdf;
  entry.references = "[HairerWanner1996] [HairerLubichRoche1989]";
  entry.make = make_stepper<RadauStepper>;
  return entry;
}

}  // namespace sunlagrange::internal
