#include "formulation/parts/acceleration_form.hpp"
#include "formulation/parts/compliance.hpp"

namespace sunlagrange::internal {
namespace {

/// Far above what the constraints need, far below where rounding hurts the saddle-point form.
constexpr double penalty_of_start = 1e8;

}  // namespace

/// Penalty form = the papers' modified Lagrange equation [000, (30)], Lambda (there "A") symmetric positive definite:
///
///     (M + G^T Lambda G) v' = f - G^T Lambda (K_D g' + K_P g - gamma)
///
/// written as the saddle-point system with C = Lambda^-1: the same accelerations to rounding, lambda = Lambda (g'' +
/// K_D g' + K_P g) of (31) comes for free, and the conditioning is not squared. The error does not tend to zero:
/// K_P g settles at Lambda^-1 lambda, i.e. O(1/Lambda) away from singular configurations and O(Lambda^-1/2) at them.
/// When to use: redundant or momentarily singular constraints, inertia shall choose the branch. When not: for accurate
/// constraints at low cost (use `baumgarte`), or stretched infeasible poses: stiffness grows with Lambda K_P |g|.
FormulationEntry make_penalty() {
  FormulationEntry entry;
  entry.unknowns = "2n";
  entry.when = "any rank: redundant, singular poses";
  entry.when_not = "accurate reactions";
  entry.references = "[000] [Bayo1988]";
  entry.promises.positions = entry.promises.velocities = Holds::to_tolerance;
  entry.promises.altered_motion = 1.0 / penalty_of_start;
  entry.make = [](const FormulationInput& in) {
    Stabilization gains = automatic_gains(in, penalty_of_start);
    const GainMatrix Lambda = gains.facts.advice->Lambda;
    return AccelerationForm(in, std::move(gains), compliance(in.gains.Lambda, Lambda));
  };
  return entry;
}

}  // namespace sunlagrange::internal
