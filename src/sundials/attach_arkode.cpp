#include <sunlagrange/sundials/attach_arkode.hpp>

#include "sundials/binding.hpp"
#include "sundials/compatibility.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

int arkode_project(sunrealtype t, N_Vector y, void* user_data) {
  Binding& binding = *static_cast<Binding*>(user_data);
  return binding.guarded([&] {
    double* values = N_VGetArrayPointer(y);
    const EvaluationResult result = binding.ode().project(t, values, binding.correction.data(), nullptr);
    if (result != EvaluationResult::ok) return result;
    for (std::size_t i = 0; i < binding.correction.size(); ++i) values[i] += binding.correction[i];
    return result;
  });
}

}  // namespace

int arkode_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data) {
  Binding& binding = *static_cast<Binding*>(user_data);
  ++binding.rhs_evaluations;
  return binding.guarded([&] { return binding.ode().rhs(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot)); });
}

Attachment internal::install_arkode(void* memory, std::unique_ptr<Binding> binding) {
  require_success(ark::set_user_data(memory, binding.get()), "ARKStepSetUserData");
  if (binding->ode().has_projection()) {
    binding->correction.resize(static_cast<std::size_t>(binding->ode().size()));
    require_success(ark::set_after_step(memory, arkode_project), "ARKStepSetPostprocessStepFn");
  }
  return AttachmentAccess::make(std::move(binding));
}

Attachment attach_arkode(void* arkode_memory, const std::shared_ptr<const MechanicalSystem>& system,
                         const MotionState& start, const AttachOptions& options) {
  return install_arkode(arkode_memory, make_binding(system, start, options, Equations::ode, "ARKODE"));
}

}  // namespace sunlagrange
