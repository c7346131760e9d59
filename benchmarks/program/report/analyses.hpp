// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "shared/command.hpp"

namespace sunlagrange::program {

/// Returns the commands that write pages of analyses; null in a program that is built without the library of analyses.
extern std::vector<Command> (*analysis_commands)();

}  // namespace sunlagrange::program
