// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "events/runner.hpp"
#include "simulation/monitor.hpp"
#include "simulation/step_limit.hpp"

namespace sunlagrange::internal {

/// The accepted steps of one integrator, from where it starts to the end of the run or to what changes the motion: an
/// event, an input, a singular pose that is crossed.
class IntegrationSegment {
 public:
  /// @param stepper  starts from events.restart_state()
  IntegrationSegment(IntegratorStepper& stepper, RunMonitor& monitor, EventRunner& events, StepLimit& limit,
                     const SimulationOptions& options, Simulation& run);

  enum class Next {
    step,     ///< the next step of this segment
    repeat,   ///< the last step was not accepted: a new segment starts where it began
    restart,  ///< a new segment starts from events.restart_state(): the motion has changed
    cross,    ///< a new segment continues the motion from events.restart_state(), behind a singular pose
    end,      ///< t_end is reached, or Simulation::status says why not
  };

  /// Makes one accepted step, shows it to the monitor and handles events at its end.
  /// @param t_stop  the step does not go beyond
  Next step(double t_stop);

  /// True if the last step ended inside a longer one of the integrator, which the next call completes.
  bool inside_a_step() const { return at_root_; }

 private:
  bool may_step();
  bool attempt(Status& status);
  Next fail(const Status& status);
  void update_start();
  bool has_to_be_repeated();
  Next next();
  Next end(Status status);

  IntegratorStepper& stepper_;
  RunMonitor& monitor_;
  EventRunner& events_;
  StepLimit& limit_;
  const SimulationOptions& options_;
  Simulation& run_;
  bool is_explicit_;   // the integrator is an explicit pair: no stage need lie in the contact that a step ends in
  double span_;        // of the run [s]
  long steps_before_;  // of the segments before
  double t_, t_stop_;  // reached, and where the stepper stops [s]
  Eigen::VectorXd q_, v_, a_;
  bool a_known_ = false;
  bool first_ = true;  // no step was made
  bool at_root_ = false;
  double last_step_ = 0.0;
};

}  // namespace sunlagrange::internal
