// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/parts/compliance.hpp"

#include "gains/row_inertia.hpp"
#include "linear_algebra/spd.hpp"

namespace sunlagrange::internal {

Compliance automatic_compliance(FormulationInput input, double relative_penalty) {
  input.gains.Lambda = Gain();
  return compliance(input, relative_penalty);
}

Compliance compliance(const FormulationInput& input, double relative_penalty) {
  const Gain& Lambda = input.gains.Lambda;
  if (!Lambda.automatic()) return compliance(Lambda, Lambda.matrix(input.system->num_constraints(), "Lambda", false));
  return compliance(Lambda,
                    {relative_penalty * row_inertias(input.system, input.start, input.linear_solver).values, {}});
}

Compliance compliance(const Gain& requested, const GainMatrix& Lambda) {
  return {spd_inverse(Lambda), UsedGain{requested, Lambda}};
}

}  // namespace sunlagrange::internal
