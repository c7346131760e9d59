#pragma once

#include <string>

#include <sunlagrange/gains/excess_energy.hpp>
#include <sunlagrange/gains/options.hpp>

namespace sunlagrange {

/// What makes a formulation out of a system: the common part of the options of every front door. The tolerances are
/// those of the integrator, whoever owns it; DAE forms (error weights, first step), augmented_lagrangian (when to stop
/// iterating) and automatic gains with BDF read them too.
struct FormulationChoice : GainOptions {
  /// A registered name; list: sunlagrange list. simulate() takes "automatic" as well: it chooses by rank,
  /// tolerance and stiffness at the start, the integrator too where that is automatic, and the report says why
  /// (decision 27). When not: where the motion becomes stiff only later, or goes through singular poses.
  std::string formulation = "baumgarte";
  ExcessEnergy excess;  ///< extended_lagrangian only; nothing given: constant gains
};

/// The same for every front door that is not simulate().
struct FormulationOptions : FormulationChoice, RunHints {};

}  // namespace sunlagrange
