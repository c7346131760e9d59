#pragma once

#include <vector>

#include "shared/command.hpp"

namespace sunlagrange::program {

/// The commands that write pages of analyses, for the report; null in the program that is built without the library.
extern std::vector<Command> (*analysis_commands)();

}  // namespace sunlagrange::program
