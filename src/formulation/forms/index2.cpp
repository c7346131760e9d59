// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/plain_multiplier_form.hpp"

namespace sunlagrange::internal {
namespace {

class Index2 final : public PlainMultiplierForm {
 public:
  explicit Index2(const FormulationInput& input) : PlainMultiplierForm(input, 0, 2 * input.system->num_positions()) {}
};

}  // namespace

/// Index-2 form [HairerWanner1996, chapter VII.1]: y = (q, v, lambda),
///
///     q' - v = 0,     M v' + G^T lambda - f = 0,     g' = 0,  psi = 0.
///
/// lambda is masked in the error test. The velocity level holds within tens of the tolerance (IDA sometimes ends
/// Newton's iteration early). g drifts linearly in time, by about the tolerance per time scale of the motion. When to
/// use: models with velocity constraints only (the natural form of nonholonomic systems), short runs. When not: through
/// singular poses, where nothing selects the branch (use `ggl`), or in long runs with position constraints (use `ggl`
/// or `stabilized_index1`).
FormulationEntry make_index2() {
  FormulationEntry entry;
  entry.unknowns = "2n + m";
  entry.when = "velocity (nonholonomic) constraints";
  entry.when_not = "long runs, singular poses";
  entry.references = "[HairerWanner1996] [BrenanCampbellPetzold1996]";
  entry.accuracy.velocities = ConstraintAccuracy::to_tolerance;
  entry.make = [](const FormulationInput& in) { return Index2(in); };
  return entry;
}

}  // namespace sunlagrange::internal
