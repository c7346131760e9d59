// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <Eigen/Core>

#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange {

/// Other units as factors: (number in the new units) = factor x (number in the old ones). Time stays in seconds.
struct UnitFactors {
  Eigen::VectorXd position;  ///< factor of each coordinate; 1 for angles
  double row = 1.0;          ///< factor of all constraint rows
  double energy = 1.0;       ///< factor of energies; generalised forces change by energy / position
};

/// Returns the same system in other units, e.g. millimetres and grams: its M, f, g, psi, G, gamma, tangents and
/// energies are those of `system`, multiplied; names stay. Use it to test whether a tolerance, a penalty or a model of
/// your own makes the motion depend on units. Coordinates are of kind generic, with natural scale 1. When not: for a
/// model that is written in the wanted units already, because every evaluation copies the matrices once more.
/// @throws Error if a factor is not positive and finite, their number is not that of the positions, or the system is a
///         kinematic program
std::shared_ptr<const MechanicalSystem> rescaled(const std::shared_ptr<const MechanicalSystem>& system,
                                                 const UnitFactors& factors);

}  // namespace sunlagrange
