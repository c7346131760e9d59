// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <sunlagrange/elements/coordinate.hpp>
#include <sunlagrange/elements/network.hpp>
#include <sunlagrange/elements/planar.hpp>
#include <sunlagrange/elements/spatial.hpp>
#include <sunlagrange/internal/capabilities.hpp>
#include <sunlagrange/simulation/catalogue.hpp>

#include "base/words.hpp"
#include "formulation/formulation.hpp"
#include "integrators/stepper.hpp"
#include "linear_solver/linear_solver.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

const Registry<ElementInfo>& element_registry() {
  static const auto registry = [] {
    Registry<ElementInfo> list("element");
#define ELEMENT(type, file, summary) \
  list.add(#type, summary,           \
           {"", "", "sunlagrange/elements/" #file ".hpp", requirements::block_kinds<type>(), parameters_of(type{})});
#include <sunlagrange/elements/elements.inc>
#undef ELEMENT
    return list;
  }();
  return registry;
}

}  // namespace

std::vector<FormulationInfo> formulations() {
  return {formulation_registry().begin(), formulation_registry().end()};
}
std::vector<IntegratorInfo> integrators() {
  return {integrator_registry().begin(), integrator_registry().end()};
}
std::vector<LinearSolverInfo> linear_solvers() {
  return {linear_solver_registry().begin(), linear_solver_registry().end()};
}
std::vector<ElementInfo> elements() {
  return {element_registry().begin(), element_registry().end()};
}

FormulationInfo formulation(std::string_view name) {
  return find_formulation(name);
}
IntegratorInfo integrator(std::string_view name) {
  return find_integrator(name);
}
LinearSolverInfo linear_solver(std::string_view name) {
  return find_linear_solver(name);
}
ElementInfo element(std::string_view name) {
  return element_registry().find(name);
}

std::string objection(std::string_view formulation, const MechanicalSystem& system, std::string_view integrator) {
  if (formulation == "automatic") return "";  // what goes with the integrator is chosen
  const FormulationEntry& form = find_formulation(formulation);
  const std::string about_system = form.objection(system);
  if (integrator.empty()) return about_system;
  const IntegratorEntry& method = find_integrator(integrator);
  const std::string pair =
      "formulation " + std::string(form.name) + " does not go with integrator " + std::string(method.name);
  if (!method.integrates(form.equations)) {
    std::string names;
    for (const IntegratorEntry& entry : integrator_registry()) {
      if (entry.integrates(form.equations)) append_word(names, entry.name);
    }
    return pair + "; integrators for it: " + names;
  }
  if (!about_system.empty()) return about_system;
  if (method.kind == IntegratorKind::adams && !form.limits.adams.empty())
    return pair + ": " + std::string(form.limits.adams);
  return "";
}

std::string_view default_formulation(const MechanicalSystem& system) {
  return find_formulation("automatic", system).name;
}

std::string_view automatic_integrator(std::string_view formulation) {
  const Equations equations = find_formulation(formulation).equations;
  for (const IntegratorEntry& entry : integrator_registry()) {
    if (entry.equations == equations) return entry.name;
  }
  return "";
}

std::string_view automatic_linear_solver(const MechanicalSystem& system) {
  return linear_solver(resolve_linear_solver({}, system).name).name;
}

}  // namespace sunlagrange
