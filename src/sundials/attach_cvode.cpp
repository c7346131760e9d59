#include <sunlagrange/sundials/attach_cvode.hpp>

#include "sundials/binding.hpp"
#include "sundials/compatibility.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

/// I - gamma J, evaluated (unless jok) and factorised; `matrix` is a placeholder.
int cvode_linear_system(sunrealtype t, N_Vector y, N_Vector, SUNMatrix, sunbooleantype jok, sunbooleantype* jcur,
                        sunrealtype gamma, void* user_data, N_Vector, N_Vector, N_Vector) {
  Binding& binding = *static_cast<Binding*>(user_data);
  *jcur = jok != 0 ? SUNFALSE : SUNTRUE;
  if (jok == 0) ++binding.jacobian_evaluations;
  return binding.guarded([&] { return binding.ode().factorize_newton(t, N_VGetArrayPointer(y), gamma, jok != 0); });
}

/// CVODE asks for y + correction on the constraints; `error` is null if it wants no projected estimate. The tolerance
/// is not needed: the formulation goes to rounding level.
int cvode_project(sunrealtype t, N_Vector y, N_Vector correction, sunrealtype, N_Vector error, void* user_data) {
  Binding& binding = *static_cast<Binding*>(user_data);
  return binding.guarded([&] {
    return binding.ode().project(t, N_VGetArrayPointer(y), N_VGetArrayPointer(correction),
                                 error != nullptr ? N_VGetArrayPointer(error) : nullptr);
  });
}

}  // namespace

int cvode_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data) {
  Binding& binding = *static_cast<Binding*>(user_data);
  ++binding.rhs_evaluations;
  return binding.guarded([&] { return binding.ode().rhs(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot)); });
}

Attachment internal::install_cvode(void* memory, SUNContext context, N_Vector y, std::unique_ptr<Binding> binding,
                                   bool linear_solver) {
  check_length(y, *binding);
  require_success(CVodeSetUserData(memory, binding.get()), "CVodeSetUserData");
  if (linear_solver) {
    binding->make_linear_solver(context);
    require_success(CVodeSetLinearSolver(memory, binding->linear_solver, binding->matrix), "CVodeSetLinearSolver");
    require_success(CVodeSetLinSysFn(memory, cvode_linear_system), "CVodeSetLinSysFn");
  }
  if (binding->ode().has_projection() && CVodeSetProjFn(memory, cvode_project) != CV_SUCCESS) {
    throw Error("CVodeSetProjFn refused the projection of formulation " + binding->formulation_name +
                ": CVODE projects with CV_BDF only; create the memory with CV_BDF, or use ARKODE");
  }
  return AttachmentAccess::make(std::move(binding));
}

Attachment attach_cvode(void* cvode_memory, SUNContext context, N_Vector y,
                        const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                        const AttachOptions& options) {
  AttachOptions known = options;
  if (known.integrator.kind == IntegratorKind::unknown && options.install_linear_solver)
    known.integrator.kind = IntegratorKind::bdf;
  return install_cvode(cvode_memory, context, y, make_binding(system, start, known, Equations::ode, "CVODE"),
                       options.install_linear_solver);
}

}  // namespace sunlagrange
