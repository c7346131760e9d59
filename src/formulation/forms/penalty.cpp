// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/acceleration_form.hpp"
#include "formulation/parts/compliance.hpp"

namespace sunlagrange::internal {
namespace {

/// Large enough for accurate constraints, and far below the values at which rounding matters in the saddle-point form.
constexpr double penalty_of_start = 1e8;

}  // namespace

/// Penalty form = the papers' modified Lagrange equation [000, (30)], Lambda (there "A") symmetric positive definite:
///
///     (M + G^T Lambda G) v' = f - G^T Lambda (K_D g' + K_P g - gamma)
///
/// written as the saddle-point system with C = Lambda^-1. The accelerations are the same to rounding, the solution
/// contains lambda = Lambda (g'' + K_D g' + K_P g) of (31), and the condition number is not squared. The error does not
/// tend to zero: K_P g tends to Lambda^-1 lambda, that is O(1/Lambda) away from singular poses and O(Lambda^-1/2) at
/// them. When to use: redundant rows, or passages through singular poses at which inertia shall choose the branch. When
/// not: for accurate constraints at low cost (use `baumgarte`), or in poses that violate the constraints far: the
/// stiffness grows with Lambda K_P |g|.
FormulationEntry make_penalty() {
  FormulationEntry entry;
  entry.unknowns = "2n";
  entry.when = "any rank: redundant, singular poses";
  entry.when_not = "accurate reactions";
  entry.references = "[000] [Bayo1988]";
  entry.accuracy.positions = entry.accuracy.velocities = ConstraintAccuracy::to_tolerance;
  entry.accuracy.altered_motion = 1.0 / penalty_of_start;
  entry.make = [](const FormulationInput& in) {
    Stabilization gains = automatic_gains(in, penalty_of_start);
    const GainMatrix Lambda = gains.facts.advice->Lambda;
    return AccelerationForm(in, std::move(gains), compliance(in.gains.Lambda, Lambda));
  };
  return entry;
}

}  // namespace sunlagrange::internal
