#pragma once

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "linear_solver/saddle_point_system.hpp"

namespace sunlagrange {

/// The story behind an evaluation or solve that went wrong at time t; finished if `result` is ok.
inline Status numerical_failure(EvaluationResult result, SaddlePointSystem& saddle, double t) {
  const std::string at = " at t = " + text(t);
  if (result == EvaluationResult::ok) return {};
  if (result == EvaluationResult::rank_loss || result == EvaluationResult::singular) {
    const WeakestMode weakest = saddle.solver().weakest_mode();
    const std::string name = weakest.row >= 0 ? saddle.system().constraint_name(weakest.row) : "";
    return {Outcome::rank_loss,
            std::string(result == EvaluationResult::singular
                            ? "the saddle-point matrix is singular (mass matrix singular on the constraint null space)"
                            : "the constraints are redundant or the configuration is singular") +
                at + (name.empty() ? "" : ", weakest constraint \"" + name + "\"") +
                "; use rank policy minimum_norm or regularized, or remove the dependent constraint"};
  }
  return {Outcome::model_error,
          std::string("the model ") +
              (result == EvaluationResult::declined ? "declines the state" : "returned values that are not finite") +
              at + "; check the given positions and the model's domain"};
}

}  // namespace sunlagrange
