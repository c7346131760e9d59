// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "ranking/ranking.hpp"

namespace sunlagrange::program {

/// Returns the ranking over all mechanisms and no more, as a first answer. @param planned  mechanisms of the complete
/// one
std::string preliminary_text(const Ranking& ranking, std::size_t planned, std::size_t width);

/// Returns the ranking, a line for each kind of mechanism, and how the figures were made.
std::string ranking_text(const Ranking& ranking, std::size_t width);

/// Returns all of it as an object of a JSON document; infinite figures are null.
Json ranking_json(const Ranking& ranking);

}  // namespace sunlagrange::program
