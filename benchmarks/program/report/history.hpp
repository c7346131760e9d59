#pragma once

#include <string>

#include "shared/json.hpp"
#include "shared/problem.hpp"

namespace sunlagrange::program {

/// One run seen over time, for the pictures of the report.
struct HistoryRequest {
  std::string formulation;
  std::string integrator = "automatic";
  double rtol = 1e-6;     ///< and atol
  double step = 0.0;      ///< of fixed-step integrators [s]
  bool steps = false;     ///< every step with its length; else the largest values in 200 parts of the run
  double log_from = 0.0;  ///< > 0: parts of equal ratio from this time on [s]
};

/// {"formulation", "integrator", "rtol", "status", "message", "t_reached", "passages", "t", "violation" (max |g|),
/// "error" (of q, where there is a reference), "step"}; t are the times where the values belong.
Json history(const Problem& problem, const HistoryRequest& request);

}  // namespace sunlagrange::program
