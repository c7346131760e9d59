#pragma once

namespace sunlagrange::internal {

/// n x n matrices of larger elements do not fit into memory.
constexpr int most_positions_of_an_element = 10000;

}  // namespace sunlagrange::internal
