// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace sunlagrange::internal {

/// Place of an entry of a JSON document: keys of objects and numbers in lists, from the outside.
using Place = std::vector<std::variant<std::string, std::size_t>>;

/// Returns the line of the value, counted from 1; if there is none, that of the nearest entry around it.
/// @param text  a well-formed document
int line_of(const std::string& text, const Place& place);

/// A key of an object and a line, counted from 1.
struct KeyAndLine {
  std::string key;
  int line = 0;  ///< 0: not found
};

/// Returns the first number that is too large for a double, and its key. The parser does not name it.
KeyAndLine overflow(const std::string& text);

/// Returns a key that stands twice in one object, and the line of its second place.
KeyAndLine repeated_key(const std::string& text);

}  // namespace sunlagrange::internal
