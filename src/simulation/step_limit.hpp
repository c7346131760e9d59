// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/simulation/simulate.hpp>

#include "base/interpolation.hpp"
#include "events/runner.hpp"
#include "model/time_dependence.hpp"

namespace sunlagrange::internal {

/// The longest step of a run with adaptive steps (decision 35). What lies within a step is seen only where the model is
/// evaluated, so that a step takes no more than a share of the run where something may begin and end unseen:
///
///  - roots of events, gaps and dry friction that the model states;
///  - poses of lost rank, from where the smallest singular value would reach zero before the end of the run if it went
///    on falling: branches are watched at the ends of steps;
///  - times that the model states as not smooth, with IDA: behind a long rest it tests the error of its first steps by
///    differences of a high order, which are small;
///  - what a projection takes out after long steps of radau, which no error test sees;
///  - functions of time. A step that is longer than the share is examined: if what depends on the time leaves the
///    polynomial through some of its own values, the step is repeated with the limit, which then holds for a while,
///    each time for longer. So is a step in which the model throws: the run ends close to where it does.
///
/// Nothing else limits the steps. SimulationOptions::max_step holds where it is given.
class StepLimit {
 public:
  StepLimit(const SimulationOptions& options, double t_start);

  /// A new integrator starts from `state`. Returns the longest step [s]; 0: none.
  double begin_segment(const EventRunner& events, const MotionState& state);

  /// Returns the longest step at t, if it has changed since the last call; 0: none. Call it before each step.
  /// @param pose  SampledPath::time_of_pose()
  std::optional<double> change(double t, double pose);

  /// A step failed for good. Returns true if it has to be repeated with the limit.
  bool repeats_failed(double begin);

  /// True: accepts() has to examine a step of this length.
  bool examines(double length) const { return examines_ && now_ == 0.0 && length > share_; }

  /// Examines a step. False: it has to be repeated, with the longest step that begin_segment() returns then.
  bool accepts(double begin, const StepEnd& end);

  /// Returns the time within the step that was repeated last at which a function has changed most: the repeated step,
  /// or a later one, ends there. -INFINITY: none.
  double suspected() const { return suspected_; }

  /// Returns RunFacts::max_step of the run so far.
  double used() const { return used_; }

 private:
  void hold_limit(double from);
  bool follow_polynomial(double begin, double end, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  const double rtol_, t_end_, span_;
  const double share_;                      // [s]; 0: steps are fixed
  const bool always_;                       // the limit holds in any case
  const bool tests_differences_;            // the integrator is IDA
  bool examines_ = false;                   // steps longer than the share
  std::optional<FunctionsOfTime> of_time_;  // of the system of the segment
  double limited_until_ = -INFINITY;        // [s]
  double wait_;                             // for so long the limit holds after the next repetition [s]
  double now_ = 0.0;                        // longest step; 0: none [s]
  double used_ = 0.0;
  double suspected_ = -INFINITY;              // [s]
  std::array<std::vector<double>, 4> nodes_;  // values within a step that the polynomial goes through
  std::vector<double> values_, least_, most_, farthest_, largest_, where_;
};

}  // namespace sunlagrange::internal
