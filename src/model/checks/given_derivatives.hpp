#pragma once

#include <string>

#include <sunlagrange/model/model_functions.hpp>

namespace sunlagrange::internal {

/// Which of the derivatives that are given are not those of their functions, one a line; empty: all agree. Each is
/// compared with differences along one direction at random points, a few dozen evaluations; one counts as wrong if it
/// differs by more than 1e-4 of its row at two points where the differences are known. Points that a function declines,
/// or where it throws or is not finite, say nothing.
std::string wrong_derivatives(const ModelFunctions& functions);

}  // namespace sunlagrange::internal
