#include "mechanisms/mechanism.hpp"

namespace sunlagrange::mechanisms {
namespace {

/// A program may take those alone that SUNLAGRANGE_ONLY_MECHANISMS lists, "a,b,c"; the others need not be linked.
#ifndef SUNLAGRANGE_ONLY_MECHANISMS
#define SUNLAGRANGE_ONLY_MECHANISMS ""
#endif
constexpr bool taken(std::string_view name) {
  constexpr std::string_view only = SUNLAGRANGE_ONLY_MECHANISMS;
  if (only.empty()) return true;
  for (std::size_t at = only.find(name); at != only.npos; at = only.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || only[at - 1] == ',') && (end == only.size() || only[end] == ',')) return true;
  }
  return false;
}

}  // namespace

const Registry<MechanismEntry>& mechanism_registry() {
  static const auto registry = [] {
    Registry<MechanismEntry> list("mechanism");
#define MECHANISM(name, summary)             \
  extern MechanismEntry make_##name();       \
  if constexpr (taken(#name)) {              \
    list.add(#name, summary, make_##name()); \
  }
#include "mechanisms/mechanisms.inc"
#undef MECHANISM
    return list;
  }();
  return registry;
}

const MechanismEntry& find_mechanism(std::string_view name) {
  return mechanism_registry().find(name);
}

}  // namespace sunlagrange::mechanisms
