// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "shared/json.hpp"
#include "shared/problem.hpp"

namespace sunlagrange::program {

/// A run whose values over time are drawn in the report.
struct HistoryRequest {
  std::string formulation;
  std::string integrator = "automatic";
  double rtol = 1e-6;  ///< rtol and atol
  double step = 0.0;   ///< step of a fixed-step integrator [s]
  bool steps = false;  ///< true: every step and its length; false: the largest values in each of 200 parts of the run
  double log_from = 0.0;  ///< if > 0: the parts have equal ratios from this time on [s]
};

/// Runs it and returns {"formulation", "integrator", "rtol", "status", "message", "t_reached", "passages", "t",
/// "violation" (max |g|), "error" (of q, if there is a reference), "step"}; t holds the times of the values.
Json history(const Problem& problem, const HistoryRequest& request);

}  // namespace sunlagrange::program
