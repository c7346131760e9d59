// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <sunlagrange/results/trajectory.hpp>
#include <sunlagrange/simulation/simulate.hpp>

#include "simulation/sampled_path.hpp"

namespace sunlagrange::internal {

/// Appends the requested states of a run to its trajectory, with the multipliers in the rows of the full system.
class TrajectoryRecorder {
 public:
  /// @param rows  of the active constraints, in the full system
  TrajectoryRecorder(SampledPath& path, Trajectory& trajectory, const SimulationOptions& options,
                     const std::vector<int>& rows);

  /// Makes states at Record::at_times those of the polynomial between the steps, without a projection.
  void record_polynomials() { polynomials_ = true; }

  /// The motion starts again at the next state, perhaps with other active constraints.
  void restart(const std::vector<int>& rows);

  /// Call after every state that the path has accepted. @param order  of the method in the step to it; 0: not known
  void accept(int order);

  /// Sets v' of the start, or of the state after an event, which is known after the first step.
  void set_start_acceleration(const double* a);

  /// Sets v of the start of a kinematic program: its gains act on v if the start is taken as given.
  void set_start_velocity(const double* v);

  /// Appends the last state of the run, if it is not there.
  void finish(const PathSample& last);

 private:
  void append(const PathSample& sample, int order = 0);
  void append_times_before(double t);
  PathSample on_the_constraints(double t);

  SampledPath& path_;
  Trajectory& trajectory_;
  const SimulationOptions& options_;
  std::vector<int> rows_;
  Eigen::VectorXd lambda_;  // in the rows of the full system
  std::size_t start_ = 0;   // index of the start, or of the state after the last event, if it is recorded
  bool at_start_ = true;
  bool polynomials_ = false;
  bool has_newest_ = false;    // the newest sample is recorded
  long steps_ = 0;             // accepted
  std::size_t next_time_ = 0;  // of SimulationOptions::record_times
};

}  // namespace sunlagrange::internal
