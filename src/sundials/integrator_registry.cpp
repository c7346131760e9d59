#include <sunlagrange/base/status.hpp>

#include "sundials/stepper.hpp"

namespace sunlagrange {

const std::vector<IntegratorEntry>& integrator_registry() {
  static const std::vector<IntegratorEntry> entries = {
      {"cvode_bdf", "CVODE, BDF orders 1 to 5, Newton", Equations::ode, false, nullptr, IntegratorKind::bdf,
       "[Hindmarsh2005]", make_cvode_stepper},
      {"cvode_adams", "CVODE, Adams-Moulton orders 1 to 12, functional iteration", Equations::ode, false, nullptr,
       IntegratorKind::adams, "[Hindmarsh2005]", make_cvode_stepper},
      {"ida", "IDA, BDF orders 1 to 5, for DAE formulations", Equations::dae, false, nullptr, IntegratorKind::bdf,
       "[Hindmarsh2005]", make_ida_stepper},
      {"rk1", "fixed step, forward Euler", Equations::ode, true, &rk1(), IntegratorKind::fixed_step, "[002]",
       make_arkode_stepper},
      {"rk2", "fixed step, Heun", Equations::ode, true, &rk2(), IntegratorKind::fixed_step, "[002]",
       make_arkode_stepper},
      {"rk3", "fixed step, Kutta's third-order method", Equations::ode, true, &rk3(), IntegratorKind::fixed_step,
       "[002]", make_arkode_stepper},
      {"rk4", "fixed step, classical Runge-Kutta", Equations::ode, true, &rk4(), IntegratorKind::fixed_step, "[002]",
       make_arkode_stepper},
      {"table", "fixed step, your own explicit Runge-Kutta table", Equations::ode, true, nullptr,
       IntegratorKind::fixed_step, "[002]", make_arkode_stepper},
      {"dopri5", "ARKODE, Dormand-Prince 5(4), adaptive", Equations::ode, false, nullptr,
       IntegratorKind::explicit_adaptive, "[DormandPrince1980]", make_arkode_stepper},
      {"trapezoidal", "fixed step, our own trapezoidal rule, for index3_augmented_lagrangian", Equations::one_step,
       true, nullptr, IntegratorKind::unknown, "", make_one_step_stepper},
  };
  return entries;
}

const IntegratorEntry& find_integrator(const std::string& name) {
  std::string known;
  for (const IntegratorEntry& entry : integrator_registry()) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw Error("integrator \"" + name + "\" is not known; choose one of: " + known);
}

}  // namespace sunlagrange
