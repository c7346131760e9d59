// SPDX-License-Identifier: BSD-3-Clause
#include "list/tables.hpp"

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/mechanism.hpp"
#include "shared/text.hpp"

namespace sunlagrange::program {
namespace {

std::string code(std::string_view name) {
  return "`" + std::string(name) + "`";
}

/// Returns the integrators of a formulation; the long list of those for ODEs has a name and stands below the table.
std::string integrators_of(const FormulationInfo& form) {
  std::vector<std::string> names;
  std::vector<std::string> refused;
  for (const IntegratorInfo& method : integrators()) {
    if (!method.integrates(form.equations)) continue;
    const bool fits = method.kind != IntegratorKind::adams || form.limits.adams.empty();
    (fits ? names : refused).push_back(code(method.name));
  }
  if (form.equations != Equations::ode) return joined(names);
  return refused.empty() ? "for ODEs" : "for ODEs but " + joined(refused);
}

std::string constraints_hold(const FormulationInfo& form) {
  const Accuracy& p = form.accuracy;
  const bool g = p.positions != ConstraintAccuracy::drifts;
  const bool rates = p.velocities != ConstraintAccuracy::drifts || form.for_programs;
  if (!g) return rates && !form.for_programs ? "g' only, g drifts" : "drift grows";
  if (!rates) return "g only";
  const std::string how = p.positions == ConstraintAccuracy::to_rounding ? "to rounding" : "to the tolerance";
  return how + (p.altered_motion > 0.0 ? ", motion altered by " + text(p.altered_motion) : "");
}

struct Group {
  const char* name;
  bool (*holds)(const MechanicalSystem&);  ///< true for members among the mechanisms that no earlier group has
};

bool has_block(const MechanicalSystem& system, const std::vector<BlockKind>& kinds) {
  for (int i = 0; i < system.num_positions(); ++i) {
    for (const BlockKind kind : kinds) {
      if (system.position_kind(i) == kind) return true;
    }
  }
  return false;
}

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {"Kinematic programs", [](const MechanicalSystem& s) { return s.first_order(); }},
      {"Nonholonomic", [](const MechanicalSystem& s) { return s.num_velocity_constraints() > 0; }},
      {"Spatial",
       [](const MechanicalSystem& s) {
         return has_block(s, {BlockKind::spatial_point, BlockKind::spatial_body});
       }},
      {"Other and mixed domains",
       [](const MechanicalSystem& s) {
         return has_block(s, {BlockKind::electrical, BlockKind::hydraulic, BlockKind::thermal, BlockKind::economic});
       }},
      {"Planar", [](const MechanicalSystem&) { return true; }}};
  return all;
}

/// Returns the numbers of positions and constraints: "7, 6", or a formula in N, e.g. "2N+2, 2N+1".
std::string sizes(const mechanisms::MechanismEntry& entry) {
  const auto of = [&entry](int size) {
    const auto system = entry.make(size).system;
    return std::pair(system->num_positions(), system->num_constraints());
  };
  if (!entry.sized()) return std::to_string(of(0).first) + ", " + std::to_string(of(0).second);
  const auto at_4 = of(4), at_5 = of(5);
  const auto line = [](int low, int high) {
    const int slope = high - low, rest = low - 4 * slope;
    return std::to_string(slope) + "N" + (rest > 0 ? "+" + std::to_string(rest) : rest < 0 ? std::to_string(rest) : "");
  };
  return line(at_4.first, at_5.first) + ", " + line(at_4.second, at_5.second);
}

}  // namespace

void print_formulation_table(std::ostream& out) {
  out << "| name | integrators | unknowns | constraints hold | when to use | when not |\n|---|---|---|---|---|---|\n";
  for (const FormulationInfo& form : formulations()) {
    out << "| " << code(form.name) << " | " << integrators_of(form) << " | " << form.unknowns << " | "
        << constraints_hold(form) << " | " << form.when << " | " << form.when_not << " |\n";
  }
  std::vector<std::string> names;
  for (const IntegratorInfo& method : integrators()) {
    if (method.integrates(Equations::ode)) names.push_back(code(method.name));
  }
  out << "\nIntegrators for ODEs: " << joined(names) << ".\n";
}

void print_mechanism_table(std::ostream& out) {
  std::vector<std::string> rows(groups().size());
  for (const mechanisms::MechanismEntry& entry : mechanisms::mechanism_registry()) {
    const mechanisms::Mechanism mechanism = entry.make(entry.default_size);
    std::size_t group = 0;
    while (!groups()[group].holds(*mechanism.system)) ++group;
    const std::string name(entry.name);
    rows[group] += "| [" + name + "](mechanisms/" + name + ".cpp) | " + sizes(entry) + " | " +
                   std::string(entry.summary) + " | " +
                   (mechanism.reference_source.empty() ? "energy only" : mechanism.reference_source) + " |\n";
  }
  out << "| mechanism | n, m | what it is | reference |\n|---|---|---|---|\n";
  for (std::size_t k = rows.size(); k-- > 0;) {
    if (!rows[k].empty()) out << "| **" << groups()[k].name << "** | | | |\n" << rows[k];
  }
}

}  // namespace sunlagrange::program
