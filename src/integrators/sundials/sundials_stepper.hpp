// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <sunlagrange/sundials/new_vector.hpp>

#include "integrators/stepper.hpp"
#include "sundials/binding.hpp"
#include "sundials/compatibility.hpp"

namespace sunlagrange::internal {

/// Base of the CVODE, IDA and ARKODE steppers: context, vectors and attachment, destroyed in the right order.
class SundialsStepper : public IntegratorStepper {
 public:
  SundialsStepper(const SundialsStepper&) = delete;
  SundialsStepper& operator=(const SundialsStepper&) = delete;
  ~SundialsStepper() override {
    if (scratch_ != nullptr) N_VDestroy(scratch_);
    if (yp_ != nullptr) N_VDestroy(yp_);
    if (y_ != nullptr) N_VDestroy(y_);
    attachment_.reset();
    if (context_ != nullptr) SUNContext_Free(&context_);
  }

  double time() const override { return t_; }
  bool motion(double t, double* q, double* v, double* a, bool& a_known) override {
    Formulation& f = binding().formulation();
    const double* y = N_VGetArrayPointer(y_);
    if (t != t_) {
      if (!interpolate(t, 0, values_.data())) return false;
      y = values_.data();
    }
    const bool own = f.acceleration() == Formulation::Acceleration::own;
    const bool at_hand = own && own_acceleration(t, a);
    a_known =
        at_hand || f.acceleration() == Formulation::Acceleration::at_point || (own && interpolate(t, 1, rates_.data()));
    return f.unpack(t, y, rates_.data(), q, v, a_known && !at_hand ? a : nullptr) == EvaluationResult::ok;
  }
  Attachment& attachment() override { return *attachment_; }
  const std::vector<int>& roots_found() const override { return found_; }

 protected:
  SundialsStepper(double t_start, const StepperOptions& options)
      : t_(t_start), t_end_(options.t_end), roots_(options.roots) {
    require_success(create_context(&context_), "SUNContext_Create");
    messages_.install_on_context(context_);
  }

  /// Makes y, and y' if `with_derivative`, from the start.
  void make_vectors(const Formulation& formulation, const MotionState& start, bool with_derivative) {
    y_ = new_vector(formulation.size(), context_);
    if (with_derivative) yp_ = N_VClone(y_);
    scratch_ = N_VCloneEmpty(y_);
    values_.resize(static_cast<std::size_t>(formulation.size()));
    rates_.resize(values_.size());
    formulation.pack(start, N_VGetArrayPointer(y_), with_derivative ? N_VGetArrayPointer(yp_) : nullptr);
  }

  /// Copies v' of the formulation at t if its last evaluation was there; else returns false.
  virtual bool own_acceleration(double /*t*/, double* /*a*/) { return false; }

  /// Computes the k-th derivative of the interpolant at t inside the last step; false if it is not available.
  virtual bool interpolate(double t, int k, double* out) = 0;

  /// Lets the formulation change its variables. True: it has done so, and y_ holds the new ones.
  bool variables_changed() {
    const Binding& binding = this->binding();
    return binding.is_ode() && started_ && binding.ode().change_variables(t_, N_VGetArrayPointer(y_));
  }

  N_Vector wrap(double* values) {
    N_VSetArrayPointer(values, scratch_);
    return scratch_;
  }

  /// Translates the failure of an integrator call into a Status and returns false. @throws what the model threw
  bool failed(const char* function, int flag, char* name, Status& status) {
    const std::string flag_name = owned_name(name);
    attachment_->rethrow();
    status = attachment_->explain(function, flag, flag_name, t_);
    if (!messages_.last().empty()) status.message += " [" + messages_.last() + "]";
    return false;
  }

  /// Number of the functions whose zeros SUNDIALS searches: two for each root function.
  int num_roots() const { return 2 * static_cast<int>(roots_.directions.size()); }

  /// Makes the user pointer lead to this stepper, for evaluate_roots(). Call it between attaching and the RootInit
  /// function of SUNDIALS.
  void prepare_roots(const std::shared_ptr<const MechanicalSystem>& system) {
    attachment_->set_user_pointer(this);
    for (const int direction : roots_.directions) searched_directions_.insert(searched_directions_.end(), 2, direction);
    root_values_.resize(roots_.directions.size());
    largest_root_.assign(roots_.directions.size(), 1.0);
    t_first_ = t_;
    root_q_.resize(static_cast<std::size_t>(system->num_positions()));
    root_v_.resize(root_q_.size());
    found_.reserve(roots_.directions.size());
  }

  /// The functions whose zeros SUNDIALS searches. It gives up where a function stays zero, so each root function is
  /// split in two that are never zero: the first changes its sign where the root function becomes or ceases to be
  /// positive, the second where it becomes or ceases to be negative. SUNDIALS disregards a function that is zero, and
  /// looks behind the start if it is zero there.
  static int evaluate_roots(double t, N_Vector y, double* values, void* user_data) {
    return callback<FinalReturn>("root functions", user_data, {y}, [&](Binding& binding) {
      auto* self = static_cast<SundialsStepper*>(binding.user_pointer);
      const EvaluationResult unpacked = binding.formulation().unpack(
          t, N_VGetArrayPointer(y), nullptr, self->root_q_.data(), self->root_v_.data(), nullptr);
      if (unpacked == EvaluationResult::ok) {
        self->roots_.evaluate(t, self->root_q_.data(), self->root_v_.data(), self->root_values_.data());
        self->split_roots(t, values);
      }
      return unpacked;
    });
  }

  /// Stores the roots at which the last step ended. @param get  function that gets the signs from SUNDIALS
  template <class Get>
  void record_roots(bool found, Get&& get) {
    found_.clear();
    if (!found) return;
    found_of_halves_.assign(2 * roots_.directions.size(), 0);
    get(found_of_halves_.data());
    for (std::size_t k = 0; k < roots_.directions.size(); ++k)
      found_.push_back(found_of_halves_[2 * k] != 0 ? found_of_halves_[2 * k] : found_of_halves_[2 * k + 1]);
  }

  Binding& binding() const { return AttachmentAccess::binding(*attachment_); }
  FailureCounts& failures() { return binding().failures; }

  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  N_Vector yp_ = nullptr;
  N_Vector scratch_ = nullptr;
  std::unique_ptr<Attachment> attachment_;
  MessageCapture messages_;
  std::vector<double> values_, rates_;
  double t_;
  double t_end_;
  bool started_ = false;
  RootFunctions roots_;
  std::vector<int> searched_directions_;  // of the functions that SUNDIALS knows
  std::vector<int> found_;
  std::vector<double> root_q_, root_v_;

 private:
  void split_roots(double t, double* values) {
    for (std::size_t k = 0; k < root_values_.size(); ++k) {
      const double value = root_values_[k];
      if (value == 0.0 && t != t_first_) {  // values of the size of the function keep the search fast
        values[2 * k] = -largest_root_[k];
        values[2 * k + 1] = largest_root_[k];
      } else {
        values[2 * k] = values[2 * k + 1] = std::isnan(value) ? 0.0 : value;
        if (value != 0.0 && !std::isnan(value)) largest_root_[k] = std::abs(value);
      }
    }
  }

  std::vector<int> found_of_halves_;
  std::vector<double> root_values_, largest_root_;  // values, and their last size other than zero
  double t_first_ = 0.0;                            // where the integration starts [s]
};

}  // namespace sunlagrange::internal
