// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/formulation.hpp"

#include <cmath>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/model/kinematic_program.hpp>

#include "base/problems.hpp"
#include "formulation/options.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/checks/degenerate_constraints.hpp"
#include "model/checks/examination.hpp"

namespace sunlagrange::internal {

std::string FormulationEntry::objection(const MechanicalSystem& system) const {
  if (system.motion_law().has_forces != for_programs) return "";
  return "formulation " + std::string(name) + " does not go with a " +
         (for_programs ? "mechanical system: it takes kinematic programs, see make_program(); use baumgarte"
                       : "kinematic program: it has no forces or accelerations; use integral_manifold or elimination");
}

std::string_view FormulationEntry::feedback_of(const MechanicalSystem& system) const {
  if (!for_programs) return "the gains";
  if (accuracy.positions == ConstraintAccuracy::drifts) return "";
  return system.program()->feedback != nullptr ? "the feedback" : "K_N";
}

const Registry<FormulationEntry>& formulation_registry() {
  static const auto registry = [] {
    Registry<FormulationEntry> list("formulation");
    const auto add = [&list](std::string_view name, std::string_view summary, FormulationEntry entry) {
      entry.equations = entry.make.equations();
      list.add(name, summary, std::move(entry));
    };
#define FORMULATION(name, summary)       \
  extern FormulationEntry make_##name(); \
  add(#name, summary, make_##name());
#include "formulation/formulations.inc"
#undef FORMULATION
    return list;
  }();
  return registry;
}

const FormulationEntry& find_formulation(std::string_view name) {
  return formulation_registry().find(name);
}

const FormulationEntry& find_formulation(std::string_view name, const MechanicalSystem& system) {
  if (name != "automatic") return find_formulation(name);
  const FormulationEntry& usual = find_formulation("baumgarte");
  if (usual.objection(system).empty()) return usual;
  for (const FormulationEntry& entry : formulation_registry()) {
    if (entry.objection(system).empty()) return entry;
  }
  return usual;
}

void require_usable(const FormulationEntry& entry, const FormulationInput& input) {
  const MechanicalSystem& system = *input.system;
  const std::string objection = entry.objection(system);
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
  if (!std::isfinite(start.t) || !start.q.allFinite() || !start.v.allFinite())
    throw Error("start: t, q or v contains a value that is not finite; take it from consistent_state()");
  const std::string problems = objections(input, system) + objections(static_cast<const RunHints&>(input));
  throw_if_any(problems, "invalid options");
  if (const Status flaw = examine(system, start.t, start.q, start.v, Purpose::motion); !flaw.finished())
    throw Error(flaw.message);
  if (const Status flaw = check_degenerate_constraints(system, start.t, start.q, start.v); !flaw.finished())
    throw Error(flaw.message);
}

std::unique_ptr<Formulation> make_formulation(const FormulationInput& input) {
  const FormulationEntry& entry = find_formulation(input.formulation, *input.system);
  require_usable(entry, input);
  return std::visit([](auto&& made) -> std::unique_ptr<Formulation> { return std::move(made); }, entry.make(input));
}

}  // namespace sunlagrange::internal
