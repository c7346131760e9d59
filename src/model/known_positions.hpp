#pragma once

#include <string>
#include <vector>

#include <sunlagrange/model/mechanical_system.hpp>

#include "base/words.hpp"

namespace sunlagrange::internal {

inline std::vector<std::string> position_names(const MechanicalSystem& system) {
  std::vector<std::string> names;
  for (int i = 0; i < system.num_positions(); ++i) names.push_back(system.position_name(i));
  return names;
}

/// All coordinates by name, for messages about one that is not there.
inline std::string known_positions(const MechanicalSystem& system) {
  return quoted(position_names(system));
}

}  // namespace sunlagrange::internal
