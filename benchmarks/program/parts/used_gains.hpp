// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "shared/problem.hpp"

namespace sunlagrange::program {

/// Returns the gains of a formulation for this problem, with values for automatic ones; empty if it uses none.
/// @throws Error if the start cannot be made consistent
std::optional<Gains> used_gains(const Problem& problem, const std::string& formulation);

}  // namespace sunlagrange::program
