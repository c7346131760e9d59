#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mechanisms/mechanism.hpp"

/// The same mechanism written in other units, to show that nothing depends on them. Time stays in seconds.
namespace sunlagrange::mechanisms {

/// Units as factors: (number in the new units) = factor x (number in SI).
struct Units {
  std::string name;
  double length = 1.0;
  double mass = 1.0;
};

/// SI; millimetres and grams; kilometres and tonnes.
const std::vector<Units>& three_unit_systems();

struct MechanismInUnits {
  Mechanism mechanism;     ///< without reference
  double tolerance = 1.0;  ///< factor for an absolute tolerance: the smallest of those of the coordinates
};

/// Returns the mechanism in other units. Angles keep their values, all other coordinates count as lengths; rows are
/// multiplied by the factor of a length. An angle is a coordinate whose change by 2 pi changes nothing while another
/// shift does; a coordinate on which nothing depends may count as either. M, f, g, psi, G, gamma and tangents are those
/// of the mechanism times factors.
MechanismInUnits in_units(const Mechanism& mechanism, const Units& units);

/// Returns true for each coordinate that is an angle, see in_units().
std::vector<bool> angles(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start);

}  // namespace sunlagrange::mechanisms
