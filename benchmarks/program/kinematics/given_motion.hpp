#pragma once

#include <string>

#include "shared/problem.hpp"

namespace sunlagrange::bench {

/// `kinematics --motion`: what drives need for the motions of a table. @returns the exit code
/// @param file  CSV with a line of names: t and the driven coordinates
int drives_of_given_motion(const std::string& file, const Problem& problem, bool json, bool wide);

}  // namespace sunlagrange::bench
