#pragma once

#include <cstdlib>
#include <string>

#include "sundials/binding.hpp"
#include "sundials/compatibility.hpp"
#include "sundials/stepper.hpp"

namespace sunlagrange {

/// What the CVODE, IDA and ARKODE steppers share: context, vectors, attachment; destroyed in the right order.
class SundialsStepper : public Stepper {
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

  int size() const override { return static_cast<int>(N_VGetLength(y_)); }
  double time() const override { return t_; }
  const double* y() const override { return N_VGetArrayPointer(y_); }
  Attachment& attachment() override { return *attachment_; }

 protected:
  SundialsStepper(double t_start, double t_end) : t_(t_start), t_end_(t_end) {
    require_success(create_context(&context_), "SUNContext_Create");
    messages_.install_on_context(context_);
  }

  void make_vectors(long size, bool with_derivative) {
    y_ = N_VNew_Serial(size, context_);
    if (with_derivative) yp_ = N_VClone(y_);
  }

  N_Vector wrap(double* values) {
    if (scratch_ == nullptr) scratch_ = N_VNewEmpty_Serial(N_VGetLength(y_), context_);
    N_VSetArrayPointer(values, scratch_);
    return scratch_;
  }

  /// Failure of an integrator call as a Status; the model's own exception passes through.
  bool failed(const char* function, int flag, char* name, Status& status) {
    const std::string flag_name = name;
    std::free(name);
    attachment_->rethrow();
    status = attachment_->explain(function, flag, flag_name, t_);
    if (!messages_.last().empty()) status.message += " [" + messages_.last() + "]";
    return false;
  }

  FailureCounts& failures() { return attachment_->binding().formulation().failures; }

  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  N_Vector yp_ = nullptr;
  N_Vector scratch_ = nullptr;
  std::unique_ptr<Attachment> attachment_;
  MessageCapture messages_;
  double t_;
  double t_end_;
};

}  // namespace sunlagrange
