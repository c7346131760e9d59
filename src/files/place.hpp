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

/// A key of an object and a line, from 1.
struct KeyAndLine {
  std::string key;
  int line = 0;  ///< 0: there is none
};

/// What no parser complains of: the first number beyond all doubles, and the key it stands behind.
KeyAndLine overflow(const std::string& text);

/// A key that stands twice in one object, and the line of its second place.
KeyAndLine repeated_key(const std::string& text);

}  // namespace sunlagrange::internal
