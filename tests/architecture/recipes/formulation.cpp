#include "formulation/parts/acceleration_form.hpp"

namespace sunlagrange {
namespace {

/// K_D = omega where the user gave none; everything else as given or as the advisor proposes.
Stabilization half_damped(FormulationInput input) {
  if (input.gains.K_D.automatic()) input.gains.K_D = gain_advice(input).omega;
  return automatic_gains(input);
}

}  // namespace

/// Template of a formulation: Baumgarte with half of critical damping.
///
///     M v' + G^T lambda = f,     G v' = gamma - K_D g' - K_P g,     automatic K_D = omega, K_P = omega^2
///
/// State the equations, where they come from, when to use the formulation and when not. `promises` says what the
/// contract tests may expect of it with every mechanism, integrator and linear solver; `limit`, unless it is null, what
/// it does not go with.
FormulationEntry make_recipe_formulation() {
  FormulationEntry entry;
  entry.references = "[000]";
  entry.promises.positions = entry.promises.velocities = Holds::to_tolerance;
  entry.make = [](const FormulationInput& in) { return AccelerationForm(in, half_damped(in)); };
  return entry;
}

}  // namespace sunlagrange
