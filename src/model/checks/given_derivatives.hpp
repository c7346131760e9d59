#pragma once

#include <string>

#include <sunlagrange/model/model_functions.hpp>

namespace sunlagrange::internal {

/// Returns the given derivatives that differ from their functions, one a line; empty if all agree. Each is compared
/// with differences along one direction at random points, a few dozen evaluations. A derivative is wrong if it differs
/// by more than 1e-4 of its row at two points where the differences are certain. Points that a function declines, or
/// where it throws or is not finite, do not count.
std::string wrong_derivatives(const ModelFunctions& functions);

}  // namespace sunlagrange::internal
