#pragma once

#include <sunlagrange/base/evaluation_result.hpp>

#include "linear_solver/linear_solver.hpp"

namespace sunlagrange::internal {

inline EvaluationResult from_linear(LinearOutcome outcome) {
  switch (outcome) {
    case LinearOutcome::ok:
      return EvaluationResult::ok;
    case LinearOutcome::rank_loss:
      return EvaluationResult::rank_loss;
    case LinearOutcome::singular:
      return EvaluationResult::singular;
    case LinearOutcome::not_finite:
      return EvaluationResult::not_finite;
  }
  return EvaluationResult::singular;
}

}  // namespace sunlagrange::internal
