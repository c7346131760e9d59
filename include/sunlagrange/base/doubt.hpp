#pragma once

#include <string>

#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

class Figures;

/// The reason for a doubt, i.e. for a warning about a run that reached its end.
enum class DoubtKind {
  position_violation,      ///< |g| is larger than the formulation promises at this tolerance
  velocity_violation,      ///< |(g', psi)| is larger than the formulation promises
  energy_balance,          ///< energy is not balanced by work
  start_moved,             ///< the consistent start lies far from the given one
  velocities_infeasible,   ///< no velocity satisfies the velocity constraints, at the start or along the run
  rank_policy,             ///< directions were lost for most of a run that began with full rank
  failed_steps,            ///< more steps failed than were accepted
  unconverged_iterations,  ///< inner iterations of the formulation ended at their limit
  rounded_clock,           ///< the steps are so short that rounding of t changes them
  dense_output,            ///< between the steps the trajectory leaves the constraints
  unstable_gains,  ///< the constraint error grows, or step x rate of the gains leaves the method's stability region
  altered_motion,  ///< the equations solved differ from those of the motion by more than the formulation promises
  coarse_steps,    ///< fixed steps are so long that the velocities do not follow from the accelerations
};

constexpr auto names_of(DoubtKind) {
  return enum_names("position_violation", "velocity_violation", "energy_balance", "start_moved",
                    "velocities_infeasible", "rank_policy", "failed_steps", "unconverged_iterations", "rounded_clock",
                    "dense_output", "unstable_gains", "altered_motion", "coarse_steps");
}

/// A warning about a run that finished: a figure of the run is larger than its threshold. Both are without units.
struct Doubt {
  DoubtKind kind = DoubtKind::position_violation;
  double value = 0.0;
  double allowed = 0.0;  ///< the threshold
  std::string text;      ///< one sentence: the finding, and what to try next

  void describe(Figures& f);
};

}  // namespace sunlagrange
