#pragma once

#include "shared/record.hpp"

namespace sunlagrange::program {

/// IDA as an application would set it by hand: the residual is that of the library's formulation, everything else is
/// IDA's own (scalar tolerances, its dense solver with a difference-quotient Jacobian, its first step).
struct HandSetting {
  const char* label;   ///< for the integrator column
  bool masks;          ///< IDASetId and IDASetSuppressAlg as the formulation says, and a first step of 1e-4 T
  double coefficient;  ///< IDASetNonlinConvCoef
  int iterations;      ///< IDASetMaxNonlinIters
};

/// IDA's own solver is dense with a difference-quotient Jacobian: hopeless for large systems.
bool baselines_make_sense(const Problem& problem);

/// "ida stock": as shipped. "ida masks": masks, 8 iterations and, for index3, coefficient 1e-4, but stock weights:
/// the best of the recipes in use.
std::vector<HandSetting> hand_settings(const std::string& formulation);

/// At most `max_steps` steps: with the wrong settings IDA can crawl for millions.
RunRecord run_hand_set(const Problem& problem, const SimulationOptions& options, const HandSetting& setting,
                       long max_steps);

}  // namespace sunlagrange::program
