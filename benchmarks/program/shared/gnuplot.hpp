#pragma once

#include <string>

/// Pictures: a command writes data and a script into a folder, gnuplot draws.
namespace sunlagrange::bench {

/// Makes the folder of --out if it is absent. @throws Error if it cannot
void make_folder(const std::string& folder);

/// Runs gnuplot on a script of the folder, inside the folder.
/// @throws std::runtime_error if gnuplot is absent (with the command that draws later) or fails
void run_gnuplot(const std::string& folder, const std::string& script);

}  // namespace sunlagrange::bench
