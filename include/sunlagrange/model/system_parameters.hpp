#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

class Figures;

/// A number that an element of a system describes (Parameters), by a name of its own: "rod.L", "spring.a.x",
/// "table.values[3]"; in a system of make_system() "model.L".
struct SystemParameter {
  std::string name;
  double value = 0.0;
  std::string unit;  ///< "1": a pure number; empty: that of what a law gives
  std::string meaning;
  Range range = Range::finite;

  void describe(Figures& f);
};

/// All of them, in the order of the elements and of their descriptions.
std::vector<SystemParameter> system_parameters(const MechanicalSystem& system);

/// What a name means: a parameter, or several linked by commas, "body.m,weight.m": one quantity that stands in the
/// model more than once, e.g. the mass of a body and of its weight. Linked ones are given one value, and a derivative
/// by them is that by all of them together.
/// @throws Error if one is unknown, with the nearest known name, or linked twice, or if they have different units
std::vector<SystemParameter> linked_parameters(const MechanicalSystem& system, const std::string& name);

/// The same system, built anew with other values of some parameters, linked ones among them. Names of blocks, elements
/// and rows, their order and the natural scales stay; what start values, references or events know of the parameters is
/// not changed.
/// @throws Error if the system is null, a name is unknown or stands there twice, a value is out of its range, an
///         element cannot be copied, or the system is a kinematic program or has rows switched off
std::shared_ptr<const MechanicalSystem> with_parameters(const std::shared_ptr<const MechanicalSystem>& system,
                                                        const std::vector<std::pair<std::string, double>>& values);

}  // namespace sunlagrange
