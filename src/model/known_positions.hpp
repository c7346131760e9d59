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

/// Returns the names of all coordinates, for messages about an unknown name.
inline std::string known_positions(const MechanicalSystem& system) {
  return quoted(position_names(system));
}

/// Returns the default of a position: 0; 1 for the scalar part of the Euler parameters of a spatial body.
inline double position_left_open(const MechanicalSystem& system, int i) {
  const std::string& name = system.position_name(i);
  const bool scalar_part = name.size() > 3 && name.compare(name.size() - 3, 3, ".e0") == 0;
  return scalar_part && system.position_kind(i) == BlockKind::spatial_body ? 1.0 : 0.0;
}

}  // namespace sunlagrange::internal
