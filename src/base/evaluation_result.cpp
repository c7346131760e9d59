// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/base/evaluation_result.hpp>

namespace sunlagrange {

const FailureReason& failure_reason(EvaluationResult result) {
  // in the order of the enumeration
  static const std::array<FailureReason, num_evaluation_results> table = {{
      {"ok", Outcome::integrator_failure, "the integrator gave up", "check units and gains, or try another formulation",
       "check units and tolerances", "", "", "", true},
      {"declined", Outcome::model_error, "the point was declined",
       "it is outside the model's domain, or no positions nearby satisfy the constraints"},
      {"rank_loss", Outcome::rank_loss, "the constraints lost rank", "remove dependent constraints",
       "remove dependent rows", "instead of rank policy strict use minimum_norm or regularized, or ", "penalty"},
      {"singular", Outcome::rank_loss, "the saddle-point matrix is singular",
       "check that M is positive definite on the null space of G",
       "the rows lose rank there, or dependent variables can no longer be solved for: remove dependent rows, choose "
       "other dependent variables, or shorten the step",
       "", "penalty", "integral_manifold"},
      {"not_finite", Outcome::model_error, "the model returned values that are not finite", "check its domain there"},
      {"indefinite", Outcome::model_error,
       "the excess mass, stiffness or dissipation is not positive (semi)definite or not symmetric there",
       "check ExcessEnergy"},
      {"not_converged", Outcome::integrator_failure, "the iteration of the step did not converge",
       "shorten the step, raise Lambda if you set it, or use another formulation near singular configurations",
       "shorten the step", "", "", "", true},
  }};
  return table[static_cast<std::size_t>(result)];
}

std::string FailureReason::advice_for(const InUse& used) const {
  std::string all = std::string(used.strict ? strict_advice : "") + (used.program ? program_advice : advice);
  if (used.program && gain_matters && !used.gain.empty())
    all += ", or lower " + std::string(used.gain) + ": its product with the step must stay inside the stability region";
  const std::string_view other = used.program ? program_formulation : formulation;
  if (!other.empty() && used.formulation != other) all += ", or use formulation " + std::string(other);
  return all;
}

}  // namespace sunlagrange
