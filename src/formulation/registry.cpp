#include "formulation/formulation.hpp"

#include <sunlagrange/base/status.hpp>

#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange {

std::string FormulationEntry::objection(const MechanicalSystem& system, std::string_view linear_solver,
                                        std::string_view integrator) const {
  std::string what;
  if (system.first_order() && !for_programs)
    what = "a kinematic program: it has no forces or accelerations; use integral_manifold or elimination";
  else if (!system.first_order() && for_programs)
    what = "a mechanical system: it takes kinematic programs, see make_program(); use baumgarte";
  else if (limit != nullptr)
    what = limit(system, linear_solver, integrator);
  return what.empty() ? "" : "formulation " + std::string(name) + " does not go with " + what;
}

#define FORMULATION(name, summary) FormulationEntry make_##name();
#include "formulation/formulations.inc"
#undef FORMULATION

const std::vector<FormulationEntry>& formulation_registry() {
  static const std::vector<FormulationEntry> entries = [] {
    std::vector<FormulationEntry> list;
    const auto add = [&list](std::string_view name, std::string_view summary, FormulationEntry entry) {
      entry.name = name;
      entry.summary = summary;
      list.push_back(entry);
    };
#define FORMULATION(name, summary) add(#name, summary, make_##name());
#include "formulation/formulations.inc"
#undef FORMULATION
    return list;
  }();
  return entries;
}

const FormulationEntry& find_formulation(const std::string& name) {
  std::string known;
  for (const FormulationEntry& entry : formulation_registry()) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw Error("formulation \"" + name + "\" is not known; choose one of: " + known);
}

void require_usable(const FormulationEntry& entry, const FormulationInput& input) {
  const MechanicalSystem& system = *input.system;
  const LinearSolverOptions solver =
      resolve_linear_solver(input.linear_solver, system.num_positions(), system.num_constraints());
  const std::string objection = entry.objection(system, solver.name, "");
  if (!objection.empty()) throw Error(objection);
  if (input.excess.given() && !entry.reads_excess_energy) {
    throw Error("excess energy: formulation " + std::string(entry.name) +
                " does not read it; use formulation extended_lagrangian or leave it out");
  }
  const int n = system.num_positions();
  const MotionState& start = input.start;
  if (start.q.size() != n || start.v.size() != n || start.a.size() != n ||
      start.lambda.size() != system.num_constraints()) {
    throw Error("start: the state does not fit the system (n = " + std::to_string(n) +
                ", m = " + std::to_string(system.num_constraints()) + "); take it from consistent_state()");
  }
}

std::unique_ptr<Formulation> make_formulation(const FormulationInput& input) {
  const FormulationEntry& entry = find_formulation(input.formulation);
  require_usable(entry, input);
  return std::visit([](auto&& made) -> std::unique_ptr<Formulation> { return std::move(made); }, entry.make(input));
}

}  // namespace sunlagrange
