// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/results/simulation.hpp>

#include "linear_solver/saddle_point_system.hpp"
#include "model/evaluation.hpp"

/// States of a motion between its recorded steps, and samples of quantities whose largest values are wanted: steps are
/// as long as the accuracy allows, so that a largest value may lie far from both ends of a step.
namespace sunlagrange::internal {

/// Violations of the constraints at a state: max |g| and max |(g', psi)|.
struct Violations {
  double position = 0.0, velocity = 0.0;
};

/// Complete states on the interpolation between the steps: the physical accelerations and multipliers at (t, q, v).
class InterpolatedStates {
 public:
  InterpolatedStates(const Trajectory& path, const std::shared_ptr<const MechanicalSystem>& system,
                     const LinearSolverOptions& options = {});

  /// Computes the state at t. Unless the result is ok, it has no accelerations.
  EvaluationResult at(double t);
  const MotionState& state() const { return state_; }
  const Violations& violations() const { return violations_; }

 private:
  const Trajectory& path_;
  PointEvaluator evaluator_;
  SaddlePointSystem saddle_;
  MotionState state_;
  Violations violations_;
};

/// Steps of longer runs are a small part of the run each: their coordinates and rates are not sampled within them.
constexpr std::size_t most_sampled_steps = 2000;

/// True if every step is recorded, so that the interpolation has the accuracy of the run.
bool has_every_step(const Simulation& run);

/// True if InterpolatedStates are those of the run: every step is recorded, no constraint was switched, and the system
/// has no inputs, whose values the run may have changed.
bool has_states_between_steps(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system);

/// Values of several quantities at one time.
struct Sample {
  double t = 0.0;
  Eigen::VectorXd values;
};

/// An extreme value that is wanted: the largest one of a quantity (sign 1) or the least one (sign -1).
struct Extreme {
  Eigen::Index quantity = 0;
  double sign = 1.0;
};

/// Returns times within the steps at which positions and velocities are sampled: five in each step. The quintic
/// polynomial of a step has at most four extreme values.
std::vector<double> times_within_steps(const Trajectory& path);

/// Returns times within the steps that are longer than a fiftieth of the run, at most that far apart: at most 50, and
/// none where the steps are shorter. For quantities that need the accelerations.
std::vector<double> times_within_long_steps(const Trajectory& path);

/// Adds samples at `times`, in order of time, and where a parabola through three neighbouring samples has the extreme
/// value of a quantity, until that is resolved to a millionth, at most four for each. The sides of an event are two
/// samples of the same time, which no parabola crosses. A peak that is narrower than the distance of the samples may be
/// missed.
/// @param samples  in order of time
/// @param at  returns the values at a time, or an empty vector if they are unknown there
void add_samples_within_steps(std::vector<Sample>& samples, const std::vector<double>& times,
                              const std::vector<Extreme>& wanted, const std::function<Eigen::VectorXd(double t)>& at);

}  // namespace sunlagrange::internal
