#pragma once

#include <string_view>

#include <sunlagrange/base/butcher_table.hpp>
#include <sunlagrange/formulation/info.hpp>
#include <sunlagrange/gains/integrator_hint.hpp>

namespace sunlagrange {

/// What is known of an integrator without making one.
struct IntegratorInfo {
  std::string_view name;                           ///< filled by the registry
  std::string_view summary;                        ///< filled by the registry
  Equations equations = Equations::ode;            ///< what it integrates
  bool odes_too = false;                           ///< beside DAEs, their special case
  bool fixed_step = false;                         ///< needs SimulationOptions::step; false: adaptive
  const ButcherTable* fixed_step_table = nullptr;  ///< its method; null: not a Runge-Kutta method, or the user's
  IntegratorKind kind = IntegratorKind::unknown;   ///< for automatic gains
  std::string_view references;                     ///< keys of literature.hpp

  bool integrates(Equations asked) const { return asked == equations || (odes_too && asked == Equations::ode); }
};

}  // namespace sunlagrange
