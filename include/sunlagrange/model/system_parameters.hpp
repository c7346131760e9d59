// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

class Figures;

/// A parameter of an element of a system (Parameters) with its full name: "rod.L", "spring.a.x", "table.values[3]"; in
/// a system of make_system() "model.L".
struct SystemParameter {
  std::string name;
  double value = 0.0;
  std::string unit;  ///< "1": a pure number; empty: the unit of the value of a law
  std::string meaning;
  Range range = Range::finite;
  std::string stands_for = {};  ///< what `value` stands for, see SpecialValue; empty: it is a quantity

  void describe(Figures& f);
};

/// Returns all parameters, in the order of the elements and of their descriptions.
std::vector<SystemParameter> system_parameters(const MechanicalSystem& system);

/// Returns the parameters of a name: one, or several that are linked by commas, "body.m,weight.m". Linked parameters
/// are one quantity that occurs in the model more than once, e.g. the mass of a body and of its weight: they get one
/// value, and a derivative is taken by all of them together.
/// @throws Error if a name is unknown, with the nearest known name, or linked twice, or if units differ
std::vector<SystemParameter> linked_parameters(const MechanicalSystem& system, const std::string& name);

/// Returns the same system with other values of some parameters. Names of blocks, elements and rows, their order and
/// the natural scales stay. Start values, references and events that depend on the parameters are not changed.
/// @throws Error if the system is null, a name is unknown or given twice, a value is out of its range, an
///         element cannot be copied, or the system is a kinematic program or has rows switched off
std::shared_ptr<const MechanicalSystem> with_parameters(const std::shared_ptr<const MechanicalSystem>& system,
                                                        const std::vector<std::pair<std::string, double>>& values);

}  // namespace sunlagrange
