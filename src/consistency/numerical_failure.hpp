// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "base/words.hpp"
#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange::internal {

/// Returns the end of a message that names the coordinates with 0 on the diagonal of M; empty: none.
inline std::string without_inertia(const PointEvaluator& evaluator) {
  const Eigen::VectorXd diagonal = evaluator.quantities().M.diagonal();
  std::vector<std::string> names;
  for (int j = 0; j < evaluator.system().num_positions(); ++j) {
    if (diagonal[j] == 0.0) names.push_back(evaluator.system().position_name(j));
  }
  return names.empty() ? "" : "; no inertia acts on " + quoted(names);
}

/// Returns the reason why an evaluation or solve failed at time t, with advice; finished if `result` is ok. For a
/// singular matrix no other formulation is advised, because every one needs an M that is definite on the null space of
/// G.
inline Status numerical_failure(EvaluationResult result, const PointEvaluator& evaluator, SaddlePointSystem& saddle,
                                double t) {
  if (result == EvaluationResult::ok) return {};
  const FailureReason& reason = failure_reason(result);
  const bool program = !saddle.system().motion_law().has_forces;
  std::string weakest;
  if (reason.outcome == Outcome::rank_loss) {
    const int row = saddle.solver().weakest_mode().row;
    if (row >= 0) weakest = ", weakest constraint \"" + saddle.system().constraint_name(row) + "\"";
  }
  const bool mass_missing = result == EvaluationResult::singular && !program;
  return {reason.outcome, reason.what + (" at t = " + text(t)) + weakest + "; " +
                              reason.advice_for({mass_missing ? reason.formulation : "",
                                                 result == EvaluationResult::rank_loss, program}) +
                              (mass_missing ? without_inertia(evaluator) : "")};
}

}  // namespace sunlagrange::internal
