#include "formulation/parts/multiplier_form.hpp"

namespace sunlagrange {

/// Index-3 form, the equations as they are written in [HairerWanner1996, chapter VII.1]: y = (q, v, lambda),
///
///     q' - v = 0,     M v' + G^T lambda - f = 0,     g = 0,  psi = 0.
///
/// IDA as shipped stops in its first step; with masks, h-scaled weights, a tight Newton test that ends at rounding
/// level and a sensible first step it runs at every tolerance. lambda of the integrator carries O(1/h^2) noise: reports
/// recompute it from (t, q, v).
/// When to use: constraints on the position level to rounding, stiff forces. When not: for accurate velocities and
/// energy: v is not error-controlled (use `ggl`).
FormulationEntry make_index3() {
  FormulationEntry entry;
  entry.unknowns = "2n + m";
  entry.when = "for comparison, stiff forces";
  entry.when_not = "accurate velocities, energy";
  entry.references = "[HairerWanner1996] [BrenanCampbellPetzold1996]";
  entry.promises.positions = Holds::to_tolerance;
  entry.promises.velocities_controlled = false;
  entry.make_dae = [](const FormulationInput& input) -> std::unique_ptr<DaeFormulation> {
    ConstraintLevels levels;
    levels.position = true;
    return std::make_unique<MultiplierForm>(input, levels);
  };
  return entry;
}

}  // namespace sunlagrange
