#pragma once

#include "formulation/formulation.hpp"

namespace sunlagrange::internal {

/// The compliance C = Lambda^-1 of the penalty forms.
struct Compliance {
  GainMatrix C;  ///< m x m; size 0: none
  std::optional<UsedGain> Lambda;
};

/// From the user's Lambda; automatic: Lambda_i = relative_penalty x row_inertias() at the start, so that grams and
/// millimetres, and masses far apart, change nothing [000; Bayo1988].
Compliance compliance(const FormulationInput& input, double relative_penalty);

/// From the Lambda that is used.
Compliance compliance(const Gain& asked, const GainMatrix& Lambda);

/// The automatic one, whatever the user's Lambda is.
Compliance automatic_compliance(FormulationInput input, double relative_penalty);

}  // namespace sunlagrange::internal
