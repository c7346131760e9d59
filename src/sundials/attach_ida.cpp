#include <sunlagrange/sundials/attach_ida.hpp>

#include "sundials/binding.hpp"
#include "sundials/compatibility.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

int ida_jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector yp, N_Vector, SUNMatrix, void* user_data, N_Vector,
                 N_Vector, N_Vector) {
  Binding& binding = *static_cast<Binding*>(user_data);
  ++binding.jacobian_evaluations;
  return binding.guarded(
      [&] { return binding.dae().factorize_newton(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), c); });
}

int ida_weights(N_Vector y, N_Vector weight, void* user_data) {
  Binding& binding = *static_cast<Binding*>(user_data);
  sunrealtype h = 0.0;
  IDAGetCurrentStep(binding.ida_memory, &h);
  const int result =
      binding.guarded([&] { return binding.dae().weights(h, N_VGetArrayPointer(y), N_VGetArrayPointer(weight)); });
  return result == 0 ? 0 : -1;  // IDA knows no recoverable failure here
}

}  // namespace

int ida_residual(sunrealtype t, N_Vector y, N_Vector yp, N_Vector r, void* user_data) {
  Binding& binding = *static_cast<Binding*>(user_data);
  ++binding.rhs_evaluations;
  return binding.guarded(
      [&] { return binding.dae().residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), N_VGetArrayPointer(r)); });
}

Attachment internal::install_ida(void* ida_memory, SUNContext context, N_Vector y, std::unique_ptr<Binding> binding,
                                 bool linear_solver) {
  check_length(y, *binding);
  binding->ida_memory = ida_memory;
  DaeFormulation& dae = binding->dae();
  const DaeSettings& s = binding->facts.dae->settings;
  require_success(IDASetUserData(ida_memory, binding.get()), "IDASetUserData");
  require_success(IDAWFtolerances(ida_memory, ida_weights), "IDAWFtolerances");
  N_Vector id = N_VClone(y);
  dae.ids(N_VGetArrayPointer(id));
  const int id_flag = IDASetId(ida_memory, id);
  N_VDestroy(id);
  require_success(id_flag, "IDASetId");
  require_success(IDASetSuppressAlg(ida_memory, s.suppress_algebraic ? SUNTRUE : SUNFALSE), "IDASetSuppressAlg");
  require_success(IDASetNonlinConvCoef(ida_memory, s.nonlinear_coefficient), "IDASetNonlinConvCoef");
  require_success(IDASetMaxNonlinIters(ida_memory, s.max_nonlinear_iterations), "IDASetMaxNonlinIters");
  if (s.initial_step > 0.0) require_success(IDASetInitStep(ida_memory, s.initial_step), "IDASetInitStep");
  if (linear_solver) {
    binding->make_linear_solver(context);
    require_success(IDASetLinearSolver(ida_memory, binding->linear_solver, binding->matrix), "IDASetLinearSolver");
    require_success(IDASetJacFn(ida_memory, ida_jacobian), "IDASetJacFn");
    // IDA would multiply every component alike to make up for an old c; the formulation does it by powers of c.
    require_success(IDASetLinearSolutionScaling(ida_memory, SUNFALSE), "IDASetLinearSolutionScaling");
  }
  return AttachmentAccess::make(std::move(binding));
}

Attachment attach_ida(void* ida_memory, SUNContext context, N_Vector y,
                      const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                      const AttachOptions& options) {
  return install_ida(ida_memory, context, y, make_binding(system, start, options, Equations::dae, "IDA"),
                     options.install_linear_solver);
}

}  // namespace sunlagrange
