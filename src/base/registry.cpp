// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>
#include <numeric>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/status.hpp>

#include "base/words.hpp"

namespace sunlagrange::internal {
namespace {

/// Returns the name without case and underscores: "kd" for K_D. Names that differ only so count as equal.
std::string plain(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

/// Returns the number of letters to insert, delete or replace (Levenshtein distance).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

/// Returns the known name that was probably meant: the nearest one, or else the only one that `name` is the beginning
/// of; empty if there is none.
std::string_view nearest_name(std::string_view name, const std::vector<std::string_view>& known) {
  std::string_view nearest;
  std::size_t least = 1 + name.size() / 3;  // names with a larger distance are not proposed
  for (const std::string_view candidate : known) {
    const std::size_t distance = plain(name) == plain(candidate) ? 0 : edit_distance(name, candidate);
    if (distance > least || (distance == least && !nearest.empty())) continue;
    least = distance;
    nearest = candidate;
  }
  if (!nearest.empty() || name.empty()) return nearest;
  const auto begins = [&](std::string_view candidate) { return candidate.substr(0, name.size()) == name; };
  const auto first = std::find_if(known.begin(), known.end(), begins);
  if (first != known.end() && std::none_of(std::next(first), known.end(), begins)) nearest = *first;
  return nearest;
}

}  // namespace

void throw_unknown(const char* kind, std::string_view name, const std::vector<std::string_view>& known) {
  const std::string_view nearest = nearest_name(name, known);
  throw Error(std::string(kind) + " \"" + std::string(name) + "\" is not known; " +
              (nearest.empty() ? "" : "did you mean " + std::string(nearest) + "? ") +
              "choose one of: " + joined(known));
}

}  // namespace sunlagrange::internal

namespace sunlagrange {

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::string_view nearest = internal::nearest_name(name, {known.begin(), known.end()});
  return nearest.empty() ? "" : "; did you mean \"" + std::string(nearest) + "\"?";
}

}  // namespace sunlagrange
