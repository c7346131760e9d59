// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/judge.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/simulation/catalogue.hpp>

namespace sunlagrange::program {
namespace {

constexpr double tolerances_allowed = 100.0;
constexpr double drift = 10.0;
constexpr double alterations_allowed = 10.0;
constexpr double most_altered = 1e-2;
constexpr double anything = 0.1;

}  // namespace

Judgement judge(const CampaignRun& run) {
  const Accuracy accuracy = run.used_formulation.empty() ? Accuracy{} : formulation(run.used_formulation).accuracy;
  const auto steps = static_cast<double>(run.steps);
  double tolerances =
      accuracy.positions == ConstraintAccuracy::drifts ? drift * tolerances_allowed : tolerances_allowed;
  if (!accuracy.velocities_controlled) tolerances = std::max(tolerances, steps * steps);
  const double eigenvalue =
      std::max(run.smallest_singular_value * run.smallest_singular_value, accuracy.altered_motion);
  const double law = accuracy.altered_motion > 0.0
                         ? std::min(most_altered, alterations_allowed * accuracy.altered_motion / eigenvalue)
                         : 0;
  Judgement j;
  j.finished = run.outcome == to_string(Outcome::finished);
  j.uncertain = run.outcome == to_string(Outcome::uncertain_branch);
  j.reached = std::isfinite(run.error);
  j.doubted = !run.doubts.empty();
  j.allowed =
      run.amplification * (tolerances * run.rtol + law) + (std::isfinite(run.halving) ? 1.5 * run.halving : 0.0);
  j.right = j.reached && run.error <= j.allowed;
  j.blind = j.right && j.allowed > anything;
  return j;
}

}  // namespace sunlagrange::program
