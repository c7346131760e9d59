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

/// Returns the known names that were probably meant, none if none is near: the one that differs by a letter at most,
/// else those that contain the name, "LinearSpring" and others for "Spring", else the nearest one.
std::vector<std::string_view> nearest_names(std::string_view name, const std::vector<std::string_view>& known) {
  constexpr std::size_t fewest_letters = 3, most_proposed = 8;
  std::string_view nearest;
  std::size_t least = 1 + name.size() / 3;  // names with a larger distance are not proposed
  for (const std::string_view candidate : known) {
    const std::size_t distance = plain(name) == plain(candidate) ? 0 : edit_distance(name, candidate);
    if (distance > least || (distance == least && !nearest.empty())) continue;
    least = distance;
    nearest = candidate;
  }
  std::vector<std::string_view> found;
  if (!nearest.empty()) found.push_back(nearest);
  if ((!nearest.empty() && least <= 1) || plain(name).size() < fewest_letters) return found;
  std::vector<std::string_view> containing;
  for (const std::string_view candidate : known) {
    if (plain(candidate).find(plain(name)) != std::string::npos) containing.push_back(candidate);
  }
  if (containing.size() > most_proposed) containing.resize(most_proposed);
  return containing.empty() ? found : containing;
}

}  // namespace

void throw_unknown(const char* kind, std::string_view name, const std::vector<std::string_view>& known) {
  constexpr std::size_t most_listed = 40;  // beside a proposal
  const std::vector<std::string_view> near = nearest_names(name, known);
  const std::string proposal = near.empty() ? "" : "did you mean " + joined(near) + "?";
  const bool listed = near.empty() || known.size() <= most_listed;
  throw Error(std::string(kind) + " \"" + std::string(name) + "\" is not known; " + proposal +
              (near.empty() || !listed ? "" : " ") + (listed ? "choose one of: " + joined(known) : ""));
}

}  // namespace sunlagrange::internal

namespace sunlagrange {

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  std::string proposal;
  for (const std::string_view near : internal::nearest_names(name, {known.begin(), known.end()}))
    proposal += (proposal.empty() ? "; did you mean \"" : "\", \"") + std::string(near);
  return proposal.empty() ? "" : proposal + "\"?";
}

}  // namespace sunlagrange
