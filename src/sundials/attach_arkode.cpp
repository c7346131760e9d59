// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/sundials/attach_arkode.hpp>

#include <cmath>
#include <utility>

#include "sundials/binding.hpp"
#include "sundials/compatibility.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

/// Updates the rates of the last stage after a projection, because ARKODE may take them for the first stage of the next
/// step (since 6.7). Terms that the application has added to arkode_rhs stay.
EvaluationResult renew_last_stage(Binding& binding, double t, const double* y) {
  LastRates& last = binding.last_rates;
  const double h = t - std::exchange(last.projected_at, t);
  const bool ends_step = std::abs(t - last.t) <= 100.0 * SUN_UNIT_ROUNDOFF * (std::abs(t) + std::abs(h));
  if (last.vector == nullptr || !ends_step) return EvaluationResult::ok;
  std::vector<double>& renewed = binding.correction;  // which y has already
  const LastEvaluation* evaluation = binding.ode().provides().last;
  if (evaluation == nullptr || !evaluation->rates(t, y, renewed.data())) {
    ++binding.rhs_evaluations;
    const EvaluationResult result = binding.failures.count(binding.ode().rhs(t, y, renewed.data()));
    if (result != EvaluationResult::ok) return result;
  }
  double* rates = N_VGetArrayPointer(last.vector);
  for (std::size_t i = 0; i < renewed.size(); ++i) rates[i] += renewed[i] - last.values[i];
  return EvaluationResult::ok;
}

int arkode_project(sunrealtype t, N_Vector y, void* user_data) {
  return callback<FinalReturn>("projection after a step of ARKODE", user_data, {y}, [&](Binding& binding) {
    require_own_equations(binding, "arkode_rhs", "ARKStepCreate or ERKStepCreate");
    double* values = N_VGetArrayPointer(y);
    Projection* projection = binding.ode().provides().projection;
    if (projection == nullptr) return EvaluationResult::ok;  // installed by a formulation that was attached before
    const EvaluationResult result =
        binding.failures.count(projection->project(t, values, binding.correction.data(), nullptr));
    if (result != EvaluationResult::ok) return result;
    for (std::size_t i = 0; i < binding.correction.size(); ++i) values[i] += binding.correction[i];
    return ark::keeps_last_stage ? renew_last_stage(binding, t, values) : result;
  });
}

}  // namespace

int arkode_rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* user_data) {
  return callback<EquationReturn>("arkode_rhs", user_data, {y, ydot}, [&](Binding& binding) {
    binding.require_forward();
    ++binding.rhs_evaluations;
    const double* values = N_VGetArrayPointer(y);
    check_start(binding, t, values, "ARKODE");
    double* rates = N_VGetArrayPointer(ydot);
    const EvaluationResult result = binding.failures.count(binding.ode().rhs(t, values, rates));
    if (ark::keeps_last_stage && binding.ode().provides().projection != nullptr) {
      LastRates& last = binding.last_rates;
      last.t = t;
      last.vector = ydot;
      last.values.assign(rates, rates + binding.ode().size());
    }
    return result;
  });
}

Attachment internal::install_arkode(void* memory, std::unique_ptr<Binding> binding) {
  if (memory == nullptr) throw Error("attach_arkode: arkode_memory is null; create it with ARKStepCreate");
  binding->correction.resize(static_cast<std::size_t>(binding->ode().size()));
  if (binding->ode().provides().projection != nullptr)
    require_success(ark::set_after_step(memory, arkode_project), "ARKStepSetPostprocessStepFn");
  binding->memory = memory;
  binding->function = "ARKStepEvolve";
  binding->flag_name = [](int flag) { return owned_name(ark::flag_name(flag)); };
  binding->last_step = [](void* m) { return number_of(ark::last_step, m); };
  void* user_data = nullptr;
  require_success(ark::user_data(memory, &user_data), "ARKStepGetUserData");
  binding->keep_user_pointer(user_data);
  // ARKODE does not repeat a failed explicit stage: the next call is a new attempt of the application
  binding->starts_anew = [](void*) { return true; };
  require_success(ark::set_user_data(memory, binding.get()), "ARKStepSetUserData");
  return AttachmentAccess::make(std::move(binding));
}

Attachment attach_arkode(void* arkode_memory, const std::shared_ptr<const MechanicalSystem>& system,
                         const MotionState& start, const AttachOptions& options) {
  auto binding = make_binding(system, start, options, Equations::ode, "ARKODE");
  binding->start = start;
  return install_arkode(arkode_memory, std::move(binding));
}

}  // namespace sunlagrange
