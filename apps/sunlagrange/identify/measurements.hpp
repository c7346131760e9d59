#pragma once

#include <string>
#include <vector>

#include <sunlagrange/analysis/identify.hpp>

namespace sunlagrange::program {

/// Columns of a CSV file with a line of names, the first of them t: what `run --csv` writes, empty cells where nothing
/// was measured.
/// @param outputs     which columns; empty: all
/// @param deviations  "beta=1e-3", or "1e-3" for all that are not named; none, or one for every output
/// @param option      that asked for it, for messages
/// @throws Error naming file, line and column
std::vector<Measurement> read_measurements(const std::string& file, const std::vector<std::string>& outputs,
                                           const std::vector<std::string>& deviations,
                                           const std::string& option = "--data");

}  // namespace sunlagrange::program
