// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/stepper.hpp"

namespace sunlagrange::internal {

const Registry<IntegratorEntry>& integrator_registry() {
  static const auto registry = [] {
    Registry<IntegratorEntry> list("integrator");
#define INTEGRATOR(name, file, summary) \
  extern IntegratorEntry make_##name(); \
  list.add(#name, summary, make_##name());
#include "integrators/integrators.inc"
#undef INTEGRATOR
    return list;
  }();
  return registry;
}

const IntegratorEntry& find_integrator(std::string_view name) {
  return integrator_registry().find(name);
}

}  // namespace sunlagrange::internal
