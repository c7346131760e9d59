#pragma once

#include <string>

#include <sunlagrange/formulation/dae_settings.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// Beyond it squares overflow.
constexpr double largest_number = 1e100;

/// What is wrong with options, the same for every front door: one complaint a line (field, value, relation), empty if
/// nothing is.
std::string objections(const FormulationChoice& options, const MechanicalSystem& system);
std::string objections(const RunHints& hints);
std::string objections(const IdaOverrides& overrides);

}  // namespace sunlagrange::internal
