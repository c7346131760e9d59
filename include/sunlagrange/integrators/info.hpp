// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include <sunlagrange/base/butcher_table.hpp>
#include <sunlagrange/formulation/info.hpp>
#include <sunlagrange/gains/integrator_hint.hpp>

namespace sunlagrange {

/// Properties of an integrator.
struct IntegratorInfo {
  std::string_view name;                           ///< filled by the registry
  std::string_view summary;                        ///< filled by the registry
  Equations equations = Equations::ode;            ///< kind of equations that it integrates
  bool odes_too = false;                           ///< true if it integrates ODEs as a special case of DAEs
  bool fixed_step = false;                         ///< needs SimulationOptions::step; false: adaptive
  const ButcherTable* fixed_step_table = nullptr;  ///< its table; null: not a Runge-Kutta method, or that of the user
  IntegratorKind kind = IntegratorKind::unknown;   ///< for automatic gains
  std::string_view references;                     ///< keys of literature.hpp

  /// True if it integrates equations of this kind.
  bool integrates(Equations other) const { return other == equations || (odes_too && other == Equations::ode); }
};

}  // namespace sunlagrange
