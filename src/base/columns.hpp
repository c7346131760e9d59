// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace sunlagrange::internal {

/// Returns the rows as lines: each column as wide as its longest cell, two blanks between columns, none at the end.
/// @param alignment  one letter for each column: 'l' left, 'r' right; a row may have fewer cells
std::string columns(const std::string& alignment, const std::vector<std::vector<std::string>>& rows);

}  // namespace sunlagrange::internal
