#include "mechanisms/mechanism.hpp"

namespace sunlagrange::mechanisms {
namespace {

/// A program may take those alone whose names begin with SUNLAGRANGE_ONLY_MECHANISMS; the others need not be linked.
#ifndef SUNLAGRANGE_ONLY_MECHANISMS
#define SUNLAGRANGE_ONLY_MECHANISMS ""
#endif
constexpr bool taken(std::string_view name) {
  constexpr std::string_view only = SUNLAGRANGE_ONLY_MECHANISMS;
  return name.substr(0, only.size()) == only;
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
