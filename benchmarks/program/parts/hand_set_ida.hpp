// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "shared/record.hpp"

namespace sunlagrange::program {

/// Settings of IDA that an application would make by hand. The residual is that of the library's formulation; all else
/// is that of IDA (scalar tolerances, its dense solver with a difference-quotient Jacobian, its first step).
struct HandSetting {
  const char* label;   ///< for the integrator column
  bool masks;          ///< IDASetId and IDASetSuppressAlg as the formulation says, and a first step of 1e-4 T
  double coefficient;  ///< IDASetNonlinConvCoef
  int iterations;      ///< IDASetMaxNonlinIters
};

/// Returns true if the problem is small enough for IDA's dense solver with a difference-quotient Jacobian.
bool baselines_make_sense(const Problem& problem);

/// Returns the settings "ida stock", the defaults of IDA, and "ida masks", the best of the usual recipes: masks, 8
/// iterations and, for index3, coefficient 1e-4, with default weights.
std::vector<HandSetting> hand_settings(const std::string& formulation);

struct HandLimits {
  long max_steps;   ///< with wrong settings IDA can take millions of steps
  double max_step;  ///< longest step of the library's run beside it [s]; 0: none
};

/// Runs with these settings.
RunRecord run_hand_set(const Problem& problem, const SimulationOptions& options, const HandSetting& setting,
                       const HandLimits& limits);

}  // namespace sunlagrange::program
