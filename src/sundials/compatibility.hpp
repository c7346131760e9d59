#pragma once

/// The differences between SUNDIALS 6.4 and 7.x that the library meets; everything else compiles unchanged.

#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_types.h>

#include <string>

#if SUNDIALS_VERSION_MAJOR >= 7
#include <sundials/sundials_errors.h>
#endif

namespace sunlagrange::internal {

inline int create_context(SUNContext* context) {
#if SUNDIALS_VERSION_MAJOR >= 7
  return SUNContext_Create(SUN_COMM_NULL, context);
#else
  return SUNContext_Create(nullptr, context);
#endif
}

/// ARKODE renamed ARKStepX to ARKodeX in 7.1.
namespace ark {
#if SUNDIALS_VERSION_MAJOR >= 7
inline int set_user_data(void* m, void* data) {
  return ARKodeSetUserData(m, data);
}
inline int set_fixed_step(void* m, double h) {
  return ARKodeSetFixedStep(m, h);
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
inline int current_step(void* m, double* h) {
  return ARKodeGetCurrentStep(m, h);
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
#else
inline int set_user_data(void* m, void* data) {
  return ARKStepSetUserData(m, data);
}
inline int set_fixed_step(void* m, double h) {
  return ARKStepSetFixedStep(m, h);
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
inline int current_step(void* m, double* h) {
  return ARKStepGetCurrentStep(m, h);
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
#endif
}  // namespace ark

/// Collects the last message of SUNDIALS instead of printing it; used on contexts and memory the library itself owns.
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
