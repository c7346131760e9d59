#pragma once

#include "linear_solver/linear_solver.hpp"

namespace sunlagrange {

/// What a callback answers. Everything but `ok` is recoverable: the integrator tries a shorter step; the reason is
/// counted and, if the run ends on it, decides the Outcome.
/// indefinite: a matrix that the user promised to be positive (semi)definite is not, here.
enum class EvaluationResult { ok, declined, rank_loss, singular, not_finite, indefinite, not_converged };

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

/// How often each reason occurred, and the last one: of the current integrator step, and of the whole run.
struct FailureCounts {
  long declined = 0;
  long rank_loss = 0;
  long singular = 0;
  long not_finite = 0;
  long indefinite = 0;
  long not_converged = 0;                        ///< an iteration of the formulation's own
  EvaluationResult last = EvaluationResult::ok;  ///< steppers reset it before each step
  EvaluationResult latest = EvaluationResult::ok;

  EvaluationResult count(EvaluationResult result) {
    switch (result) {
      case EvaluationResult::ok:
        return result;
      case EvaluationResult::declined:
        ++declined;
        break;
      case EvaluationResult::rank_loss:
        ++rank_loss;
        break;
      case EvaluationResult::singular:
        ++singular;
        break;
      case EvaluationResult::not_finite:
        ++not_finite;
        break;
      case EvaluationResult::indefinite:
        ++indefinite;
        break;
      case EvaluationResult::not_converged:
        ++not_converged;
        break;
    }
    last = latest = result;
    return result;
  }
};

}  // namespace sunlagrange
