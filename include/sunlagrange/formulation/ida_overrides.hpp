#pragma once

#include <optional>

namespace sunlagrange {

/// Settings of IDA that DAE forms choose, for those who want others; what is not given stays the formulation's choice.
struct IdaOverrides {
  std::optional<bool> suppress_algebraic;       ///< IDASetSuppressAlg
  std::optional<double> nonlinear_coefficient;  ///< IDASetNonlinConvCoef, > 0
  std::optional<int> max_nonlinear_iterations;  ///< IDASetMaxNonlinIters, > 0
  std::optional<double> initial_step;           ///< IDASetInitStep [s], > 0
};

}  // namespace sunlagrange
