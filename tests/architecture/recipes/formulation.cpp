#include "formulation/parts/acceleration_form.hpp"

namespace sunlagrange {

/// Template of a formulation: Baumgarte with half of critical damping.
///
///     M v' + G^T lambda = f,     G v' = gamma - omega g' - omega^2 g,     omega of automatic gains
///
/// State the equations, where they come from, when to use the formulation and when not. `promises` and `limits` say
/// what the contract tests may expect of it, with every mechanism, integrator and linear solver.
FormulationEntry make_recipe_formulation() {
  FormulationEntry entry;
  entry.references = "[000]";
  entry.promises.positions = entry.promises.velocities = Holds::to_tolerance;
  entry.make_ode = [](const FormulationInput& input) -> std::unique_ptr<OdeFormulation> {
    const MechanicalSystem& s = *input.system;
    const double omega = gain_advice(input).omega;
    const Gains gains = Gains::natural_frequency(omega, 0.5);
    return std::make_unique<AccelerationForm>(
        input, Stabilization::from_gains(gains, s.num_position_constraints(), s.num_velocity_constraints(), omega),
        GainMatrix{}, Stabilization::gain_settings(gains, s.num_velocity_constraints(), omega));
  };
  return entry;
}

}  // namespace sunlagrange
