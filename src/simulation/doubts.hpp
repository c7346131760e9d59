#pragma once

#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/doubt.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange::internal {

/// What was seen along the run that its report does not hold.
struct Observed {
  /// The most that a projection after a step took out of the velocities, natural_size(). It is in no error test: where
  /// nothing jumps, it is of the size of the error of the step.
  double taken_out = 0.0;
  double t_taken_out = 0.0;   ///< [s]
  double steps_astray = 0.0;  ///< CoarseSteps::defect(); 0: nobody looked
  long tapered = 0;           ///< factorisations with a direction neither lost nor kept
};

/// What speaks against a run that reached its end: its figures against what its formulation promises at its tolerance.
/// The constants were calibrated on the registered mechanisms and on random ones, see docs/decisions/0016.
/// @param given_velocities  of the start, before it was made consistent; empty: not known
/// @param used  options, nothing automatic left but gains
std::vector<Doubt> doubts_about(const MechanicalSystem& system, const Report& report, const Observed& observed,
                                const Eigen::VectorXd& given_velocities, const SimulationOptions& used);

}  // namespace sunlagrange::internal
