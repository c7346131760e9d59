#include "mechanisms/mechanism.hpp"

namespace sunlagrange::mechanisms {

const Registry<MechanismEntry>& mechanism_registry() {
  static const auto registry = [] {
    Registry<MechanismEntry> list("mechanism");
#define MECHANISM(name, summary)       \
  extern MechanismEntry make_##name(); \
  list.add(#name, summary, make_##name());
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
