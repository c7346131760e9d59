// SPDX-License-Identifier: BSD-3-Clause
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

/// Returns the numbers of all coordinates of these names.
inline std::vector<int> position_indices(const MechanicalSystem& system, const std::vector<std::string>& names) {
  std::vector<int> all;
  for (const std::string& name : names) {
    const std::vector<int> found = system.position_indices(name);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
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

/// Returns true if every position has its default, as where nothing was given.
inline bool all_left_open(const MechanicalSystem& system, const Eigen::VectorXd& q) {
  for (int i = 0; i < q.size(); ++i) {
    if (q[i] != position_left_open(system, i)) return false;
  }
  return true;
}

}  // namespace sunlagrange::internal
