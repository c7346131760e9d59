#pragma once

#include <string>

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

class Figures;

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

constexpr auto names_of(DoubtKind) {
  return enum_names("position_violation", "velocity_violation", "energy_balance", "start_moved",
                    "velocities_infeasible", "rank_policy", "failed_steps", "unconverged_iterations", "rounded_clock",
                    "dense_output", "unstable_gains", "altered_motion", "coarse_steps");
}

/// One figure of a run that is not what it should be, against what was allowed. Both without units.
struct Doubt {
  DoubtKind kind = DoubtKind::position_violation;
  double value = 0.0;
  double allowed = 0.0;
  std::string text;  ///< what was found and the next thing to try, in one sentence

  void describe(Figures& f);
};

}  // namespace sunlagrange
