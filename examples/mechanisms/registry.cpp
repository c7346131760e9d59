#include "mechanisms/mechanism.hpp"

namespace sunlagrange::mechanisms {

#define MECHANISM(name, summary) MechanismEntry make_##name();
#include "mechanisms/mechanisms.inc"
#undef MECHANISM

const std::vector<MechanismEntry>& mechanism_registry() {
  static const std::vector<MechanismEntry> entries = [] {
    std::vector<MechanismEntry> list;
    const auto add = [&list](std::string_view name, std::string_view summary, MechanismEntry entry) {
      entry.name = name;
      entry.summary = summary;
      list.push_back(entry);
    };
#define MECHANISM(name, summary) add(#name, summary, make_##name());
#include "mechanisms/mechanisms.inc"
#undef MECHANISM
    return list;
  }();
  return entries;
}

const MechanismEntry& find_mechanism(const std::string& name) {
  std::string known;
  for (const MechanismEntry& entry : mechanism_registry()) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw Error("mechanism \"" + name + "\" is not known; choose one of: " + known);
}

}  // namespace sunlagrange::mechanisms
