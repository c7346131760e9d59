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
inline int set_user_data(void* m, void* data) {
  return ARKodeSetUserData(m, data);
}
inline int user_data(void* m, void** data) {
  return ARKodeGetUserData(m, data);
}
inline int set_fixed_step(void* m, double h) {
  return ARKodeSetFixedStep(m, h);
}
inline int set_tolerances(void* m, ARKEwtFn weights) {
  return ARKodeWFtolerances(m, weights);
}
inline int set_tolerances(void* m, double rtol, double atol) {
  return ARKodeSStolerances(m, rtol, atol);
}
inline int set_stop_time(void* m, double t) {
  return ARKodeSetStopTime(m, t);
}
inline int set_after_step(void* m, ARKPostProcessFn function) {
  return ARKodeSetPostprocessStepFn(m, function);
}
inline int set_first_step(void* m, double h) {
  return ARKodeSetInitStep(m, h);
}
inline int set_max_step(void* m, double h) {
  return ARKodeSetMaxStep(m, h);
}
inline int current_step(void* m, double* h) {
  return ARKodeGetCurrentStep(m, h);
}
inline int last_step(void* m, double* h) {
  return ARKodeGetLastStep(m, h);
}
inline int reset(void* m, double t, N_Vector y) {
  return ARKodeReset(m, t, y);
}
inline int evolve(void* m, double t, N_Vector y, double* reached) {
  return ARKodeEvolve(m, t, y, reached, ARK_ONE_STEP);
}
inline int derivative(void* m, double t, int k, N_Vector out) {
  return ARKodeGetDky(m, t, k, out);
}
inline int set_roots(void* m, int count, ARKRootFn function) {
  return ARKodeRootInit(m, count, function);
}
inline int set_root_directions(void* m, int* directions) {
  return ARKodeSetRootDirection(m, directions);
}
inline int set_no_inactive_root_warning(void* m) {
  return ARKodeSetNoInactiveRootWarn(m);
}
inline int roots_found(void* m, int* found) {
  return ARKodeGetRootInfo(m, found);
}
inline int current_time(void* m, double* t) {
  return ARKodeGetCurrentTime(m, t);
}
inline int error_test_failures(void* m, long* count) {
  return ARKodeGetNumErrTestFails(m, count);
}
inline char* flag_name(int flag) {
  return ARKodeGetReturnFlagName(flag);
}
inline void free(void** m) {
  ARKodeFree(m);
}
inline int set_step_bounds(void* m, const StepBounds& b) {
  return lowest({ARKodeSetSafetyFactor(m, b.safety), ARKodeSetMaxGrowth(m, b.growth),
                 ARKodeSetMinReduction(m, b.reduction), ARKodeSetFixedStepBounds(m, b.keep_from, b.keep_to),
                 ARKodeSetMaxFirstGrowth(m, b.first_growth), ARKodeSetMaxEFailGrowth(m, b.after_errors),
                 ARKodeSetSmallNumEFails(m, b.few_errors), ARKodeSetMaxCFailGrowth(m, b.after_no_convergence),
                 ARKodeSetCFLFraction(m, b.stability_fraction), ARKodeSetMaxErrTestFails(m, b.max_errors)});
}
#else
/// The setter of ERKStep, because that of ARKStep reads behind the memory of ERKStep.
inline int set_user_data(void* m, void* data) {
  return ERKStepSetUserData(m, data);
}
inline int user_data(void* m, void** data) {
  return ERKStepGetUserData(m, data);
}
inline int set_fixed_step(void* m, double h) {
  return ARKStepSetFixedStep(m, h);
}
inline int set_tolerances(void* m, ARKEwtFn weights) {
  return ARKStepWFtolerances(m, weights);
}
inline int set_tolerances(void* m, double rtol, double atol) {
  return ARKStepSStolerances(m, rtol, atol);
}
inline int set_stop_time(void* m, double t) {
  return ARKStepSetStopTime(m, t);
}
inline int set_after_step(void* m, ARKPostProcessFn function) {
  return ARKStepSetPostprocessStepFn(m, function);
}
inline int set_first_step(void* m, double h) {
  return ARKStepSetInitStep(m, h);
}
inline int set_max_step(void* m, double h) {
  return ARKStepSetMaxStep(m, h);
}
inline int current_step(void* m, double* h) {
  return ARKStepGetCurrentStep(m, h);
}
inline int last_step(void* m, double* h) {
  return ARKStepGetLastStep(m, h);
}
inline int reset(void* m, double t, N_Vector y) {
  return ARKStepReset(m, t, y);
}
inline int evolve(void* m, double t, N_Vector y, double* reached) {
  return ARKStepEvolve(m, t, y, reached, ARK_ONE_STEP);
}
inline int derivative(void* m, double t, int k, N_Vector out) {
  return ARKStepGetDky(m, t, k, out);
}
inline int set_roots(void* m, int count, ARKRootFn function) {
  return ARKStepRootInit(m, count, function);
}
inline int set_root_directions(void* m, int* directions) {
  return ARKStepSetRootDirection(m, directions);
}
inline int set_no_inactive_root_warning(void* m) {
  return ARKStepSetNoInactiveRootWarn(m);
}
inline int roots_found(void* m, int* found) {
  return ARKStepGetRootInfo(m, found);
}
inline int current_time(void* m, double* t) {
  return ARKStepGetCurrentTime(m, t);
}
inline int error_test_failures(void* m, long* count) {
  return ARKStepGetNumErrTestFails(m, count);
}
inline char* flag_name(int flag) {
  return ARKStepGetReturnFlagName(flag);
}
inline void free(void** m) {
  ARKStepFree(m);
}
inline int set_step_bounds(void* m, const StepBounds& b) {
  return lowest({ARKStepSetSafetyFactor(m, b.safety), ARKStepSetMaxGrowth(m, b.growth),
                 ARKStepSetMinReduction(m, b.reduction), ARKStepSetFixedStepBounds(m, b.keep_from, b.keep_to),
                 ARKStepSetMaxFirstGrowth(m, b.first_growth), ARKStepSetMaxEFailGrowth(m, b.after_errors),
                 ARKStepSetSmallNumEFails(m, b.few_errors), ARKStepSetMaxCFailGrowth(m, b.after_no_convergence),
                 ARKStepSetCFLFraction(m, b.stability_fraction), ARKStepSetMaxErrTestFails(m, b.max_errors)});
}
#endif

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
#if SUNDIALS_VERSION_MAJOR >= 7
    return lowest(
        {ARKodeSetAdaptController(m, controller_), ARKodeSetAdaptivityAdjustment(m, 0), set_step_bounds(m, {})});
#else
    return lowest(
        {ARKStepSetAdaptController(m, controller_), ARKStepSetAdaptivityAdjustment(m, 0), set_step_bounds(m, {})});
#endif
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
