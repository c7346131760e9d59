// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formulation/formulation.hpp"

namespace sunlagrange::internal {

/// The compliance C = Lambda^-1 of the penalty forms.
struct Compliance {
  GainMatrix C;  ///< m x m; size 0: no compliance
  std::optional<UsedGain> Lambda;
};

/// Returns the compliance of the user's Lambda. An automatic one is Lambda_i = relative_penalty x row_inertias() at the
/// start, which does not depend on units or on ratios of masses [000; Bayo1988].
Compliance compliance(const FormulationInput& input, double relative_penalty);

/// Returns the compliance of a Lambda, with the gain that was requested.
Compliance compliance(const Gain& requested, const GainMatrix& Lambda);

/// Returns the automatic compliance, for any Lambda of the user.
Compliance automatic_compliance(FormulationInput input, double relative_penalty);

}  // namespace sunlagrange::internal
