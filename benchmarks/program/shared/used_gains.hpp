#pragma once

#include <optional>
#include <string>

#include "shared/problem.hpp"

namespace sunlagrange::bench {

/// The gains of a run: those asked for, automatic ones read off the settings it reports; empty: it used none.
std::optional<Gains> used_gains(const Gains& asked, const Settings& settings);

/// The gains that a formulation would use for this problem. @throws Error if the start cannot be made consistent
std::optional<Gains> used_gains(const Problem& problem, const std::string& formulation);

}  // namespace sunlagrange::bench
