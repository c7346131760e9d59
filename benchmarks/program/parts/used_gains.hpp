#pragma once

#include <optional>
#include <string>

#include "shared/problem.hpp"

namespace sunlagrange::program {

/// The gains that a formulation would use for this problem, automatic ones resolved; empty: it uses none.
/// @throws Error if the start cannot be made consistent
std::optional<Gains> used_gains(const Problem& problem, const std::string& formulation);

}  // namespace sunlagrange::program
