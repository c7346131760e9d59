#include <sunlagrange/sundials/attach_cvode.hpp>

#include "sundials/binding.hpp"
#include "sundials/compatibility.hpp"

namespace sunlagrange {
namespace {

/// I - gamma J, evaluated (unless jok) and factorised; `matrix` is a placeholder.
int cvode_linear_system(sunrealtype t, N_Vector y, N_Vector, SUNMatrix, sunbooleantype jok, sunbooleantype* jcur,
                        sunrealtype gamma, void* user_data, N_Vector, N_Vector, N_Vector) {
  Binding& binding = *static_cast<Binding*>(user_data);
  *jcur = jok != 0 ? SUNFALSE : SUNTRUE;
  if (jok == 0) ++binding.jacobian_evaluations;
  return binding.guarded([&] { return binding.ode->factorize_newton(t, N_VGetArrayPointer(y), gamma, jok != 0); });
}

}  // namespace

int cvode_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data) {
  Binding& binding = *static_cast<Binding*>(user_data);
  ++binding.rhs_evaluations;
  return binding.guarded([&] { return binding.ode->rhs(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot)); });
}

Attachment attach_cvode(void* cvode_memory, SUNContext context, N_Vector y,
                        const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                        const AttachOptions& options) {
  auto binding = make_ode_binding(system, start, options, "CVODE");
  if (N_VGetLength(y) != binding->ode->size()) {
    throw Error("attach_cvode: y has " + std::to_string(N_VGetLength(y)) + " entries, formulation " +
                options.formulation + " has " + std::to_string(binding->ode->size()) + " unknowns (q, v)");
  }
  require_success(CVodeSetUserData(cvode_memory, binding.get()), "CVodeSetUserData");
  if (options.install_linear_solver) {
    binding->make_linear_solver(context);
    require_success(CVodeSetLinearSolver(cvode_memory, binding->linear_solver, binding->matrix),
                    "CVodeSetLinearSolver");
    require_success(CVodeSetLinSysFn(cvode_memory, cvode_linear_system), "CVodeSetLinSysFn");
  }
  return AttachmentMaker::make(std::move(binding));
}

}  // namespace sunlagrange
