#pragma once

#include <string>

namespace sunlagrange {

/// Why a run that reached its end may still be wrong.
enum class DoubtKind {
  position_violation,      ///< |g| beyond what the formulation promises at this tolerance
  velocity_violation,      ///< |(g', psi)| beyond what it promises
  energy_balance,          ///< energy appeared or went without work
  start_moved,             ///< the consistent start lies far from what was given
  velocities_infeasible,   ///< no velocity satisfies the velocity constraints, at the start or along the run
  rank_policy,             ///< lost directions for most of a run that started without
  failed_steps,            ///< more steps failed than were accepted
  unconverged_iterations,  ///< inner iterations of the formulation ended at their limit
  rounded_clock,           ///< the steps are so short that the digits of t do not hold them
  dense_output,            ///< between the steps the trajectory leaves the constraints
  unstable_gains,  ///< the law of the error grows, or step x rate of the gains leaves the method's stability region
  altered_motion,  ///< the equations solved differ from those of the motion by more than the formulation promises
  coarse_steps,    ///< fixed steps over which the velocities do not follow from the accelerations
};

/// "position_violation", ... as written above.
const char* to_string(DoubtKind kind);

/// One figure of a run that is not what it should be, against what was allowed. Both without units.
struct Doubt {
  DoubtKind kind = DoubtKind::position_violation;
  double value = 0.0;
  double allowed = 0.0;
  std::string text;  ///< what was found and the next thing to try, in one sentence
};

}  // namespace sunlagrange
