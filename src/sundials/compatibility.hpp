// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The differences between SUNDIALS 6.4 and 7.x that concern the library; everything else compiles unchanged.

#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>
#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_types.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <string>

#if SUNDIALS_VERSION_MAJOR >= 7
#include <sundials/sundials_errors.h>
#endif

/// Since 6.7 controllers of the step size are objects.
#if SUNDIALS_VERSION_MAJOR >= 7 || SUNDIALS_VERSION_MINOR >= 7
#define SUNLAGRANGE_ARKODE_HAS_CONTROLLERS 1
#include <sundials/sundials_adaptcontroller.h>
#endif

namespace sunlagrange::internal {

inline int create_context(SUNContext* context) {
#if SUNDIALS_VERSION_MAJOR >= 7
  return SUNContext_Create(SUN_COMM_NULL, context);
#else
  return SUNContext_Create(nullptr, context);
#endif
}

/// Returns the name that a function ...GetReturnFlagName has allocated, and frees it.
inline std::string owned_name(char* name) {
  std::string copied = name;
  std::free(name);
  return copied;
}

/// ARKStepX is called ARKodeX since 7.1.
namespace ark {

/// Bounds on the step size that the controller of ARKODE proposes. They are the defaults of 6.4; those of 7.3 differ.
struct StepBounds {
  double safety = 0.96;                   // factor of the proposal
  double growth = 20.0;                   // largest ratio to the last step
  double first_growth = 1e4;              // the same for the second step
  double reduction = 0.1;                 // smallest ratio to the last step
  double keep_from = 1.0, keep_to = 1.5;  // ratios at which the step size stays
  double after_errors = 0.3;              // largest ratio after `few_errors` failed error tests of one step
  int few_errors = 2;
  int max_errors = 7;                  // number of failed error tests of one step that ends the run
  double after_no_convergence = 0.25;  // largest ratio
  double stability_fraction = 0.5;     // of a stability limit, which is not given
};

/// Since 6.7 a pair whose last stage is the first of the next step takes the rates of that stage even if a function
/// after the step has changed y; that function has to update them.
#ifdef SUNLAGRANGE_ARKODE_HAS_CONTROLLERS
inline constexpr bool keeps_last_stage = true;
#else
inline constexpr bool keeps_last_stage = false;
#endif

/// Returns the first failure among flags, for error flags are negative.
inline int lowest(std::initializer_list<int> flags) {
  return std::min(flags);
}

#if SUNDIALS_VERSION_MAJOR >= 7
#define SUNLAGRANGE_ARK(name) ARKode##name
#define SUNLAGRANGE_ARK_USER_DATA(name) ARKode##name
#else
#define SUNLAGRANGE_ARK(name) ARKStep##name
/// Those of ERKStep, because those of ARKStep read behind the memory of ERKStep.
#define SUNLAGRANGE_ARK_USER_DATA(name) ERKStep##name
#endif

inline constexpr auto set_user_data = SUNLAGRANGE_ARK_USER_DATA(SetUserData);
inline constexpr auto user_data = SUNLAGRANGE_ARK_USER_DATA(GetUserData);
inline constexpr auto set_fixed_step = SUNLAGRANGE_ARK(SetFixedStep);
inline constexpr auto set_stop_time = SUNLAGRANGE_ARK(SetStopTime);
inline constexpr auto set_after_step = SUNLAGRANGE_ARK(SetPostprocessStepFn);
inline constexpr auto set_first_step = SUNLAGRANGE_ARK(SetInitStep);
inline constexpr auto set_max_step = SUNLAGRANGE_ARK(SetMaxStep);
inline constexpr auto current_step = SUNLAGRANGE_ARK(GetCurrentStep);
inline constexpr auto last_step = SUNLAGRANGE_ARK(GetLastStep);
inline constexpr auto reset = SUNLAGRANGE_ARK(Reset);
inline constexpr auto derivative = SUNLAGRANGE_ARK(GetDky);
inline constexpr auto set_roots = SUNLAGRANGE_ARK(RootInit);
inline constexpr auto set_root_directions = SUNLAGRANGE_ARK(SetRootDirection);
inline constexpr auto set_no_inactive_root_warning = SUNLAGRANGE_ARK(SetNoInactiveRootWarn);
inline constexpr auto roots_found = SUNLAGRANGE_ARK(GetRootInfo);
inline constexpr auto current_time = SUNLAGRANGE_ARK(GetCurrentTime);
inline constexpr auto error_test_failures = SUNLAGRANGE_ARK(GetNumErrTestFails);
inline constexpr auto flag_name = SUNLAGRANGE_ARK(GetReturnFlagName);
inline constexpr auto free = SUNLAGRANGE_ARK(Free);

inline int set_tolerances(void* m, ARKEwtFn weights) {
  return SUNLAGRANGE_ARK(WFtolerances)(m, weights);
}
inline int set_tolerances(void* m, double rtol, double atol) {
  return SUNLAGRANGE_ARK(SStolerances)(m, rtol, atol);
}
inline int evolve(void* m, double t, N_Vector y, double* reached) {
  return SUNLAGRANGE_ARK(Evolve)(m, t, y, reached, ARK_ONE_STEP);
}
inline int set_step_bounds(void* m, const StepBounds& b) {
  return lowest(
      {SUNLAGRANGE_ARK(SetSafetyFactor)(m, b.safety), SUNLAGRANGE_ARK(SetMaxGrowth)(m, b.growth),
       SUNLAGRANGE_ARK(SetMinReduction)(m, b.reduction), SUNLAGRANGE_ARK(SetFixedStepBounds)(m, b.keep_from, b.keep_to),
       SUNLAGRANGE_ARK(SetMaxFirstGrowth)(m, b.first_growth), SUNLAGRANGE_ARK(SetMaxEFailGrowth)(m, b.after_errors),
       SUNLAGRANGE_ARK(SetSmallNumEFails)(m, b.few_errors),
       SUNLAGRANGE_ARK(SetMaxCFailGrowth)(m, b.after_no_convergence),
       SUNLAGRANGE_ARK(SetCFLFraction)(m, b.stability_fraction), SUNLAGRANGE_ARK(SetMaxErrTestFails)(m, b.max_errors)});
}

/// PID control of the step size as in ARKODE 6.4, for all versions; must outlive the integrator memory.
class StepControl {
 public:
  StepControl() = default;
  StepControl(const StepControl&) = delete;
  StepControl& operator=(const StepControl&) = delete;

  /// Exponents, times the order of the embedding, of the errors of this step, the last one, and the one before.
  static constexpr double k1 = 0.58, k2 = 0.21, k3 = 0.1;
  static constexpr double bias = 1.5;  // error estimates are multiplied by it

#ifdef SUNLAGRANGE_ARKODE_HAS_CONTROLLERS
  ~StepControl() {
    if (controller_ != nullptr) controller_->content = nullptr;  // it is this object
    SUNAdaptController_Destroy(controller_);
  }

  /// The PID controller of 7.x is not used: it does not bound errors of nearly zero, e.g. at a start at rest, and the
  /// steps after such an error become hundreds of times too short or too long.
  int install(void* m, SUNContext context) {
    controller_ = SUNAdaptController_NewEmpty(context);
    if (controller_ == nullptr) return ARK_MEM_FAIL;
    controller_->content = this;
    controller_->ops->gettype = [](SUNAdaptController) { return SUN_ADAPTCONTROLLER_H; };
    controller_->ops->reset = [](SUNAdaptController c) {
      self(c).last_ = self(c).before_ = 1.0;
      return 0;
    };
    controller_->ops->estimatestep = [](SUNAdaptController c, double h, int order, double error, double* next) {
      *next = h * std::pow(bounded(error), -k1 / order) * std::pow(self(c).last_, k2 / order) *
              std::pow(self(c).before_, -k3 / order);
      return 0;
    };
    controller_->ops->updateh = [](SUNAdaptController c, double, double error) {
      self(c).before_ = self(c).last_;
      self(c).last_ = bounded(error);
      return 0;
    };
    return lowest({SUNLAGRANGE_ARK(SetAdaptController)(m, controller_), SUNLAGRANGE_ARK(SetAdaptivityAdjustment)(m, 0),
                   set_step_bounds(m, {})});
  }

 private:
  static StepControl& self(SUNAdaptController c) {
    return *static_cast<StepControl*>(c->content);
  }
  static double bounded(double error) {
    return std::max(bias * error, 1e-10);
  }

  SUNAdaptController controller_ = nullptr;
  double last_ = 1.0, before_ = 1.0;  // bounded errors of the last two steps
#else
  int install(void* m, SUNContext) {
    double k[3] = {k1, k2, k3};
    const int own_parameters = 0, order_of_embedding = 0;
    return lowest({ARKStepSetAdaptivityMethod(m, ARK_ADAPT_PID, own_parameters, order_of_embedding, k),
                   ARKStepSetErrorBias(m, bias), set_step_bounds(m, {})});
  }
#endif
};
}  // namespace ark

/// Stores the last message of SUNDIALS instead of printing it; for contexts and memory that the library owns.
class MessageCapture {
 public:
  const std::string& last() const { return last_; }

#if SUNDIALS_VERSION_MAJOR >= 7
  void install_on_context(SUNContext context) {
    SUNContext_ClearErrHandlers(context);
    SUNContext_PushErrHandler(context, handle, this);
  }
  void install_on_cvode(void*) {}
  void install_on_ida(void*) {}
  void install_on_arkode(void*) {}

 private:
  static void handle(int, const char*, const char*, const char* message, SUNErrCode, void* self, SUNContext) {
    if (message != nullptr) static_cast<MessageCapture*>(self)->last_ = message;
  }
#else
  void install_on_context(SUNContext) {}
  void install_on_cvode(void* memory) {
    CVodeSetErrHandlerFn(memory, handle, this);
  }
  void install_on_ida(void* memory) {
    IDASetErrHandlerFn(memory, handle, this);
  }
  void install_on_arkode(void* memory) {
    ARKStepSetErrHandlerFn(memory, handle, this);
  }

 private:
  static void handle(int code, const char*, const char*, char* message, void* self) {
    if (code < 0 && message != nullptr) static_cast<MessageCapture*>(self)->last_ = message;
  }
#endif
  std::string last_;
};

}  // namespace sunlagrange::internal
