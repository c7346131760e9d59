#include <sunlagrange/base/evaluation_result.hpp>

namespace sunlagrange {

const FailureReason& failure_reason(EvaluationResult result) {
  // in the order of the enumeration
  static const std::array<FailureReason, num_evaluation_results> table = {{
      {"ok", Outcome::integrator_failure, "the integrator gave up", "check units and gains, or try another formulation",
       "lower K_N: step x K_N must stay inside the stability region of the method"},
      {"declined", Outcome::model_error, "the point was declined",
       "it is outside the model's domain, or no positions nearby satisfy the constraints"},
      {"rank_loss", Outcome::rank_loss, "the constraints lost rank", "remove dependent constraints",
       "remove dependent rows", "instead of rank policy strict use minimum_norm or regularized, or ", "penalty"},
      {"singular", Outcome::rank_loss, "the saddle-point matrix is singular",
       "check that M is positive definite on the null space of G",
       "the rows lose rank there, or the dependent variables of the elimination can no longer be solved for: use "
       "formulation integral_manifold, other dependent variables, or a shorter step",
       "", "penalty"},
      {"not_finite", Outcome::model_error, "the model returned values that are not finite", "check its domain there"},
      {"indefinite", Outcome::model_error,
       "the excess mass, stiffness or dissipation is not positive (semi)definite or not symmetric there",
       "check ExcessEnergy"},
      {"not_converged", Outcome::integrator_failure, "the iteration of the step did not converge",
       "shorten the step, raise Lambda if you set it, or use another formulation near singular configurations",
       "shorten the step, or lower K_N"},
  }};
  return table[static_cast<std::size_t>(result)];
}

std::string FailureReason::advice_for(const InUse& used) const {
  std::string all = std::string(used.strict ? strict_advice : "") + (used.program ? program_advice : advice);
  if (*formulation != '\0' && !used.program && used.formulation != formulation)
    all += std::string(", or use formulation ") + formulation;
  return all;
}

}  // namespace sunlagrange
