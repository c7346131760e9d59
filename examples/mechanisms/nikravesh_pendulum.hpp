#pragma once

#include <memory>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::mechanisms {

/// Sliding pendulum for studies of gains, after an example of P. E. Nikravesh: a block slides along a hinged rod.
///
///      O  hinge, torsion spring 6 N m/rad                rod: m1 = 2 kg, J1 = 0.04 kg m^2, centre 0.5 m from O
///       \ `.                                             block: m2 = 1 kg, J2 = 0.1 kg m^2, turns with the rod
///    rod \  `. spring 20 N/m, free length 0.7 m,         gravity 9.81 m/s^2 along -y
///         \   ` damper 5 N s/m
///         [#] block at distance s from O                 phi from the downward vertical, counterclockwise
///           \                                            .
///
/// Absolute coordinates (x1, y1, phi1, x2, y2, phi2) of rod and block: n = 6, m = 4 (hinge x, hinge y, angle, across
/// the rod), two degrees of freedom. Energy: weight, springs, kinetic; the damper takes from it.
std::shared_ptr<const MechanicalSystem> nikravesh_pendulum();

}  // namespace sunlagrange::mechanisms
