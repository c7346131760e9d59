#pragma once

#include <string>

#include <sunlagrange/gains/excess_energy.hpp>
#include <sunlagrange/gains/options.hpp>

namespace sunlagrange {

/// Options of a formulation, which simulate(), the attachments and the analyses have in common. The tolerances are
/// those of the integrator. DAE forms (error weights, first step), augmented_lagrangian (end of the iteration) and
/// automatic gains with BDF read them too.
struct FormulationChoice : GainOptions {
  /// A registered name (`sunlagrange list` prints them). simulate() also accepts "automatic": it chooses by rank,
  /// tolerance and stiffness at the start, chooses an automatic integrator too, and the report gives the reasons
  /// (decision 27). Do not use "automatic" if the motion becomes stiff later or passes singular poses.
  std::string formulation = "baumgarte";
  ExcessEnergy excess;  ///< read by extended_lagrangian only. Default: constant gains
};

/// Options of a formulation outside simulate(), which knows the hints itself.
struct FormulationOptions : FormulationChoice, RunHints {};

}  // namespace sunlagrange
