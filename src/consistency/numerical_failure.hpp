#pragma once

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {

/// The story behind an evaluation or solve that went wrong at time t; finished if `result` is ok.
inline Status numerical_failure(EvaluationResult result, SaddlePointSystem& saddle, double t) {
  if (result == EvaluationResult::ok) return {};
  const FailureReason& reason = failure_reason(result);
  const bool program = saddle.system().first_order();
  std::string weakest;
  if (reason.outcome == Outcome::rank_loss) {
    const int row = saddle.solver().weakest_mode().row;
    if (row >= 0) weakest = ", weakest constraint \"" + saddle.system().constraint_name(row) + "\"";
  }
  return {reason.outcome, reason.what + (" at t = " + text(t)) + weakest + "; " +
                              reason.advice_for({"", result == EvaluationResult::rank_loss, program})};
}

}  // namespace sunlagrange::internal
