// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/base/fact.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

#include "base/words.hpp"

namespace sunlagrange::internal {

/// Returns a fact about positions: their names are its values, and its sentence contains the first twelve.
inline Fact positions_fact(std::string name, const MechanicalSystem& system, const std::vector<int>& positions,
                           bool requested = false) {
  constexpr std::size_t most = 12;
  Fact fact{std::move(name), positions.empty() ? "none" : "", {}, requested};
  for (const int j : positions) {
    if (fact.values.size() < most) append_word(fact.sentence, "{}");
    fact.values.emplace_back(system.position_name(j));
  }
  if (positions.size() > most) fact.sentence += " and " + std::to_string(positions.size() - most) + " more";
  return fact;
}

}  // namespace sunlagrange::internal
