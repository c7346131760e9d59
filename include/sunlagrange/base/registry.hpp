// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sunlagrange {

/// Returns `; did you mean "x"?` for the known name x that differs from `name` by few inserted, deleted or replaced
/// letters; empty if there is none.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

namespace internal {
/// @throws Error: `kind` "`name`" is not known, with the known name that was probably meant, and all known names
[[noreturn]] void throw_unknown(const char* kind, std::string_view name, const std::vector<std::string_view>& known);
}  // namespace internal

/// Entries that are found by their name, in the order of a list (an .inc file of lines MACRO(name, ..., summary)). The
/// registry fills the members `name` and `summary` of an entry from its line; the entry states its other members
/// itself.
template <class Entry>
class Registry {
 public:
  /// @param kind  the noun for an entry in messages, e.g. "formulation"
  explicit Registry(const char* kind) : kind_(kind) {}

  /// Appends an entry with name and summary of its line, which must outlive the registry.
  void add(std::string_view name, std::string_view summary, Entry entry) {
    entry.name = name;
    entry.summary = summary;
    entries_.push_back(std::move(entry));
  }

  /// @throws Error listing the known names
  const Entry& find(std::string_view name) const {
    std::vector<std::string_view> known;
    for (const Entry& entry : entries_) {
      if (entry.name == name) return entry;
      known.push_back(entry.name);
    }
    internal::throw_unknown(kind_, name, known);
  }

  /// For loops over the entries in the order of the list.
  auto begin() const { return entries_.begin(); }
  /// For loops over the entries in the order of the list.
  auto end() const { return entries_.end(); }

 private:
  const char* kind_;
  std::vector<Entry> entries_;
};

}  // namespace sunlagrange
