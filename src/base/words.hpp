// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sunlagrange/version.hpp>

/// Lists of names for messages and reports.
namespace sunlagrange::internal {

/// Appends one entry to a list: "a, b" and "c" give "a, b, c".
inline void append_word(std::string& list, std::string_view entry) {
  if (!list.empty()) list += ", ";
  list += entry;
}

/// Returns "a, b, c", where `word` gives the text of each entry.
template <class Range, class Word>
std::string joined(const Range& entries, Word&& word) {
  std::string list;
  for (const auto& entry : entries) append_word(list, word(entry));
  return list;
}

template <class Range>
std::string joined(const Range& words) {
  return joined(words, [](std::string_view word) { return word; });
}

/// Returns the names in quotes: "a", "b", "c".
inline std::string quoted(const std::vector<std::string>& names) {
  return joined(names, [](const std::string& name) { return "\"" + name + "\""; });
}

/// Returns "name [unit]"; the name alone without a unit.
inline std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " [" + unit + "]";
}

/// Returns a version, e.g. "0.1.0".
inline std::string library_version() {
  return std::to_string(SUNLAGRANGE_VERSION_MAJOR) + "." + std::to_string(SUNLAGRANGE_VERSION_MINOR) + "." +
         std::to_string(SUNLAGRANGE_VERSION_PATCH);
}

}  // namespace sunlagrange::internal
