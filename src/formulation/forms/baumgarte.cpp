// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/acceleration_form.hpp"

namespace sunlagrange::internal {

/// Generalised Baumgarte stabilisation, [000, (16), (20), (21)]:
///
///     M v' + G^T lambda = f,     G v' = gamma - K_D g' - K_P g,     K_D, K_P symmetric positive definite
///
/// so that the constraint error obeys g'' + K_D g' + K_P g = 0. Velocity constraints: psi' + K_N psi = 0.
/// Automatic gains: critical damping K_D = 2 omega, K_P = omega^2, K_N = omega, with omega of advise_gains() from the
/// rate of the motion at the start. Gains follow the motion, not the step size: gains of 1/h make adaptive integration
/// three times as expensive. When to use: the general-purpose choice for CVODE and ARKODE. When not: as the only means
/// at a singular pose (see `penalty`), or if the constraints must hold to rounding.
FormulationEntry make_baumgarte() {
  FormulationEntry entry;
  entry.unknowns = "2n";
  entry.when = "the general-purpose choice";
  entry.when_not = "constraints must hold to rounding";
  entry.references = "[Baumgarte1972] [000]";
  entry.accuracy.positions = entry.accuracy.velocities = ConstraintAccuracy::to_tolerance;
  entry.make = [](const FormulationInput& in) { return AccelerationForm(in, automatic_gains(in)); };
  return entry;
}

}  // namespace sunlagrange::internal
