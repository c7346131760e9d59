#pragma once

#include <string>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange::internal {

/// Everything that is wrong with what the user gave, in one Error.
/// @param problems  complaints, each ended by a newline; none: nothing happens
/// @param heading   printed on a line of its own before them; empty: none
inline void throw_if_any(const std::string& problems, const std::string& heading = "") {
  if (problems.empty()) return;
  throw Error((heading.empty() ? "" : heading + ":\n") + problems.substr(0, problems.size() - 1));
}

}  // namespace sunlagrange::internal
