// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/acceleration_form.hpp"

namespace sunlagrange::internal {

/// M v' + G^T lambda = f, G v' = gamma: the acceleration level of [000, (14)], without feedback. The constraint error
/// grows linearly in g' and quadratically in g, by the local errors.
/// When to use: as a reference, or for short runs at tight tolerances. When not: anything long.
FormulationEntry make_unstabilized() {
  FormulationEntry entry;
  entry.unknowns = "2n";
  entry.when = "reference, short runs";
  entry.when_not = "anything long";
  entry.references = "[HairerWanner1996]";
  entry.make = [](const FormulationInput& in) { return AccelerationForm(in, Stabilization::none(*in.system)); };
  return entry;
}

}  // namespace sunlagrange::internal
