#include <sunlagrange/sundials/attach_arkode.hpp>

#include "sundials/binding.hpp"
#include "sundials/compatibility.hpp"

namespace sunlagrange {

int arkode_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data) {
  Binding& binding = *static_cast<Binding*>(user_data);
  ++binding.rhs_evaluations;
  return binding.guarded([&] { return binding.ode->rhs(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot)); });
}

Attachment attach_arkode(void* arkode_memory, const std::shared_ptr<const MechanicalSystem>& system,
                         const MotionState& start, const AttachOptions& options) {
  auto binding = make_ode_binding(system, start, options, "ARKODE");
  require_success(ark::set_user_data(arkode_memory, binding.get()), "ARKStepSetUserData");
  return AttachmentMaker::make(std::move(binding));
}

}  // namespace sunlagrange
