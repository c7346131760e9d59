#include <string>

#include <sunlagrange/simulation/catalogue.hpp>

#include "formulation/formulation.hpp"
#include "linear_solver/linear_solver.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "sundials/stepper.hpp"

namespace sunlagrange {
namespace {

FormulationInfo info(const FormulationEntry& e) {
  return {e.name, e.summary, e.equations()};
}
IntegratorInfo info(const IntegratorEntry& e) {
  return {e.name, e.summary, e.equations, e.fixed_step, e.fixed_step_table};
}
LinearSolverInfo info(const LinearSolverEntry& e) {
  return {e.name, e.summary, e.sparse, e.available};
}

template <class Info, class Entry>
std::vector<Info> all(const std::vector<Entry>& registry) {
  std::vector<Info> list;
  for (const Entry& entry : registry) list.push_back(info(entry));
  return list;
}

}  // namespace

std::vector<FormulationInfo> formulations() {
  return all<FormulationInfo>(formulation_registry());
}
std::vector<IntegratorInfo> integrators() {
  return all<IntegratorInfo>(integrator_registry());
}
std::vector<LinearSolverInfo> linear_solvers() {
  return all<LinearSolverInfo>(linear_solver_registry());
}

FormulationInfo formulation(std::string_view name) {
  return info(find_formulation(std::string(name)));
}
IntegratorInfo integrator(std::string_view name) {
  return info(find_integrator(std::string(name)));
}
LinearSolverInfo linear_solver(std::string_view name) {
  return info(find_linear_solver(std::string(name)));
}

std::string objection(std::string_view formulation, const MechanicalSystem& system, std::string_view linear_solver,
                      std::string_view integrator) {
  const FormulationEntry& form = find_formulation(std::string(formulation));
  if (!integrator.empty()) {
    const IntegratorEntry& method = find_integrator(std::string(integrator));
    if (method.equations != form.equations()) {
      std::string names;
      for (const IntegratorEntry& entry : integrator_registry()) {
        if (entry.equations == form.equations()) names += (names.empty() ? "" : ", ") + std::string(entry.name);
      }
      return "formulation " + std::string(formulation) + " does not go with integrator " + std::string(integrator) +
             "; integrators for it: " + names;
    }
  }
  return form.objection(system, linear_solver, integrator);
}

std::string_view automatic_integrator(std::string_view formulation) {
  const Equations equations = find_formulation(std::string(formulation)).equations();
  for (const IntegratorEntry& entry : integrator_registry()) {
    if (entry.equations == equations) return entry.name;
  }
  return "";
}

std::string_view automatic_linear_solver(int n, int m) {
  return linear_solver(resolve_linear_solver({}, n, m).name).name;
}

}  // namespace sunlagrange
