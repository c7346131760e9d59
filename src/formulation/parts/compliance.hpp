#pragma once

#include "formulation/formulation.hpp"

namespace sunlagrange::internal {

/// The compliance C = Lambda^-1 of the penalty forms.
struct Compliance {
  GainMatrix C;  ///< m x m; size 0: none
  std::optional<UsedGain> Lambda;
};

/// From the user's Lambda; automatic: Lambda_i = relative_penalty / (G M^-1 G^T)_ii at the start, dimensionless, so
/// that grams and millimetres change nothing [000; Bayo1988].
Compliance compliance(const FormulationInput& input, double relative_penalty);

/// The automatic one, whatever the user's Lambda is.
Compliance automatic_compliance(FormulationInput input, double relative_penalty);

}  // namespace sunlagrange::internal
