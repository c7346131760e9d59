// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sunlagrange/analysis/identify.hpp>

namespace sunlagrange::program {

/// Reads measurements from the columns of a CSV file as `run --csv` writes it: a line of names, the first of which is
/// t. A cell without a measurement is empty.
/// @param outputs     names of the columns; empty: all
/// @param deviations  standard deviations: "beta=1e-3", or "1e-3" for all outputs that are not named; either none, or
///                    one for every output
/// @param unit_of     gives the unit of an output, in which a deviation may have another, "0.5deg"
/// @param option      the option that names the file, for messages
/// @throws Error naming file, line and column
std::vector<Measurement> read_measurements(const std::string& file, const std::vector<std::string>& outputs,
                                           const std::vector<std::string>& deviations,
                                           const std::function<std::string(const std::string&)>& unit_of,
                                           const std::string& option = "--data");

}  // namespace sunlagrange::program
