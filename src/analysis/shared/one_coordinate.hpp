// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

#include "base/words.hpp"

namespace sunlagrange::internal {

/// Returns the index of a coordinate. @throws Error with the known names if the name fits none or several
inline int one_coordinate(const MechanicalSystem& system, const std::string& name, const std::string& who) {
  const std::vector<int> found = system.position_indices(name);
  if (found.size() == 1U) return found.front();
  std::string known;
  for (int i = 0; i < std::min(system.num_positions(), 20); ++i) append_word(known, system.position_name(i));
  throw Error(who + ": \"" + name + "\" names " + (found.empty() ? "no coordinate" : "several coordinates") +
              "; known: " + known + (system.num_positions() > 20 ? ", ..." : ""));
}

}  // namespace sunlagrange::internal
