#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace sunlagrange::internal {

/// Where an entry of a JSON document stands: keys of objects and numbers in lists, from the outside.
using Place = std::vector<std::variant<std::string, std::size_t>>;

/// The line of its value, from 1; that of the nearest entry around it if there is none.
/// @param text  a document that is well-formed
int line_of(const std::string& text, const Place& place);

}  // namespace sunlagrange::internal
