// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <sunlagrange/gains/excess_energy.hpp>
#include <sunlagrange/gains/options.hpp>

namespace sunlagrange {

/// Options of a formulation, which simulate(), the attachments and the analyses have in common. The tolerances are
/// those of the integrator. DAE forms (error weights, first step), augmented_lagrangian (end of the iteration) and
/// automatic gains with BDF read them too.
struct FormulationChoice : GainOptions {
  /// A registered name (`sunlagrange list` prints them), or "automatic". simulate() then chooses by given options, a
  /// singular start, tolerance and stiffness, chooses an automatic integrator too, and the report gives the reasons
  /// (decision 27). Where there is no run to choose for (attachments, analyses), "automatic" is default_formulation().
  /// Name a formulation if the motion becomes stiff later.
  std::string formulation = "automatic";
  ExcessEnergy excess;  ///< read by extended_lagrangian only. Default: constant gains
};

/// Options of a formulation outside simulate(), which knows the hints itself.
struct FormulationOptions : FormulationChoice, RunHints {};

}  // namespace sunlagrange
