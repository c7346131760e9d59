#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sunlagrange {

/// For messages about a name that is not known: `; did you mean "x"?` where few letters have to be inserted, deleted or
/// replaced to make it x, else nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

namespace internal {
/// Throws Error: `kind` "`name`" is not known, the known name that was probably meant, and all known ones.
[[noreturn]] void throw_unknown(const char* kind, std::string_view name, const std::vector<std::string_view>& known);
}  // namespace internal

/// What can be asked for by name, in the order of its list (an .inc file of lines MACRO(name, ..., summary)). An Entry
/// has `name` and `summary`, which the registry fills from that line; everything else it states itself.
template <class Entry>
class Registry {
 public:
  /// @param kind  as messages call an entry, e.g. "formulation"
  explicit Registry(const char* kind) : kind_(kind) {}

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

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  const char* kind_;
  std::vector<Entry> entries_;
};

}  // namespace sunlagrange
