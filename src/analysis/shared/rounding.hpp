// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace sunlagrange::internal {

/// Rounding of a value that is computed from others, relative to them.
constexpr double rounding_of_value = 1e-14;

/// Rounding of the solution of a linear system or of an eigenvalue problem, relative to its size or to the largest
/// eigenvalue.
constexpr double rounding_of_solution = 1e-13;

/// Number from which on products overflow.
constexpr double largest_value = 1e100;

}  // namespace sunlagrange::internal
