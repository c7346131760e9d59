#pragma once

#include <vector>

#include <sunlagrange/results/trajectory.hpp>
#include <sunlagrange/simulation/simulate.hpp>

#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

/// Writes the states of a run into its trajectory, with the multipliers in the rows of the full system.
class TrajectoryRecorder {
 public:
  /// @param rows  of the active constraints, in the full system
  TrajectoryRecorder(Trajectory& trajectory, Record what, const std::vector<int>& rows);

  /// Other constraints are active from the next state on.
  void restart(const std::vector<int>& rows);

  void accept(const PathSample& sample);

  /// v' of the start, or of the state after an event, known only after the first step.
  void set_start_acceleration(const double* a);

  /// v of the start of a kinematic program, whose gains act on it if the start is taken as given.
  void set_start_velocity(const double* v);

  /// Of a run with steps, which ends here.
  void finish(const PathSample& last);

 private:
  void append(const PathSample& sample);

  Trajectory& trajectory_;
  Record what_;
  std::vector<int> rows_;
  Eigen::VectorXd lambda_;  // in the rows of the full system
  std::size_t start_ = 0;   // index of the start, or of the state after the last event, if it is recorded
  bool at_start_ = true;
};

}  // namespace sunlagrange::internal
