#include <sunlagrange/base/evaluation_result.hpp>

namespace sunlagrange {

using namespace internal;

const FailureReason& failure_reason(EvaluationResult result) {
  // in the order of the enumeration
  static const std::array<FailureReason, num_evaluation_results> table = {{
      {"ok", Outcome::integrator_failure, "the integrator gave up",
       "loosen the tolerances, check units and gains, or try another formulation",
       "loosen the tolerances, or lower K_N: step x K_N must stay inside the stability region of the method"},
      {"declined", Outcome::model_error, "the point was declined",
       "it is outside the model's domain, or no positions nearby satisfy the constraints"},
      {"rank_loss", Outcome::rank_loss, "the constraints lost rank",
       "instead of rank policy strict use minimum_norm or regularized, remove dependent constraints, or use "
       "formulation penalty",
       "instead of rank policy strict use minimum_norm or regularized, or remove dependent rows"},
      {"singular", Outcome::rank_loss, "the saddle-point matrix is singular",
       "check that M is positive definite on the null space of G, or use formulation penalty",
       "the rows lose rank there, or the dependent variables of the elimination can no longer be solved for: use "
       "formulation integral_manifold, other dependent variables, or a shorter step"},
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

}  // namespace sunlagrange
