#include "formulation/parts/acceleration_form.hpp"

namespace sunlagrange {

/// M v' + G^T lambda = f, G v' = gamma: the acceleration level of [000, (14)], without feedback. The constraint error
/// grows linearly in g' and quadratically in g with the local errors.
/// When to use: as a reference, or for short runs at tight tolerances. When not: anything long.
FormulationEntry make_unstabilized() {
  FormulationEntry entry;
  entry.unknowns = "2n";
  entry.when = "reference, short runs";
  entry.when_not = "anything long";
  entry.references = "[HairerWanner1996]";
  entry.make_ode = [](const FormulationInput& input) -> std::unique_ptr<OdeFormulation> {
    const MechanicalSystem& s = *input.system;
    return std::make_unique<AccelerationForm>(
        input, Stabilization::none(s.num_position_constraints(), s.num_velocity_constraints()), GainMatrix{},
        Settings{});
  };
  return entry;
}

}  // namespace sunlagrange
