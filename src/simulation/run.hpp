// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <sunlagrange/simulation/checkpoint.hpp>

#include "events/runner.hpp"
#include "simulation/monitor.hpp"
#include "simulation/segment.hpp"
#include "simulation/step_limit.hpp"

namespace sunlagrange::internal {

/// Settings of a companion run (SimulationOptions::estimate_error). States between its steps are those of the
/// polynomial, which leaves the constraints by no more than the error of the steps.
struct AsCompanion {
  std::vector<double> ends;  ///< prescribed ends of the steps of an explicit pair [s]; empty: its own step control
};

/// One run from its start to its end, as a sequence of integration segments. Each segment has its own integrator and
/// lasts until the end of the run or until an instant that changes the motion (an event, an input, a crossing).
/// Misuse throws Error until the first integrator exists; every later problem ends in Simulation::status.
class Run {
 public:
  /// @throws Error
  /// @param inputs  of the system, which actions of events may set; it must outlive the run
  Run(const std::shared_ptr<const MechanicalSystem>& system, const InputBinder& inputs, const InitialState& given,
      const SimulationOptions& requested, std::optional<AsCompanion> as_companion = std::nullopt);
  /// Continues the report of a checkpoint of the same system. Takes over `trajectory` without the states that lie later
  /// than the checkpoint. @throws Error and leaves `trajectory` unchanged
  Run(const std::shared_ptr<const MechanicalSystem>& system, const InputBinder& inputs, const Checkpoint& from,
      const SimulationOptions& requested, Trajectory& trajectory);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Makes one accepted step, not beyond t_stop. Returns false if there was none, or if the run failed in it.
  bool step(double t_stop);

  /// Restarts at time() after a discontinuous change of inputs.
  /// @throws Error if the positions would have to jump; the run is unchanged then
  void jump();

  bool over() const { return state_ != State::running; }
  double time() const { return run_.report.t_reached; }
  double t_end() const { return resolved_.t_end; }
  const Simulation& so_far() const { return run_; }
  Trajectory& trajectory() { return run_.trajectory; }
  MotionState state() const;
  Checkpoint save() const;

  /// Ends the run and judges it. Call once, as the last function.
  Simulation finish();

 private:
  enum class State {
    starting,  ///< no integrator exists yet; Error means misuse and is rethrown
    running,   ///< another step is possible
    ended,     ///< reached t_end or was stopped; the checks conclude it
    failed,    ///< could not start, or something was thrown; the status says why
  };

  Run(const std::shared_ptr<const MechanicalSystem>& system, const InputBinder& inputs,
      const SimulationOptions& requested, const InitialState& given);
  void begin(const InitialState& given);
  void choose_method(const ConsistentState& start);
  void resume(const Checkpoint& from);
  void accept(const MotionState& s) { monitor_->accept(s.t, s.q.data(), s.v.data(), nullptr); }
  void enter_new_state();
  ConsistentState consistent_at(const InitialState& at) const;
  bool restart_from(const ConsistentState& at);
  void open_segment();
  void leave_stepper();
  void record_gains();
  void close();
  template <class Work>
  void guarded(Work&& work);

  std::shared_ptr<const MechanicalSystem> system_;
  SimulationOptions requested_, resolved_;  // resolved_: nothing automatic left
  std::optional<Fact> choice_reason_;       // of an automatic choice of formulation and integrator
  std::chrono::steady_clock::time_point started_at_ = std::chrono::steady_clock::now();
  std::optional<AsCompanion> as_companion_;
  EventRunner events_;
  Simulation run_;
  std::optional<RunMonitor> monitor_;
  std::optional<StepLimit> limit_;  // from the first integrator on
  std::unique_ptr<IntegratorStepper> stepper_;
  std::optional<IntegrationSegment> segment_;
  std::optional<Gains> kept_gains_;             // of the segment before, for the next one
  std::optional<SegmentGains> last_gains_;      // of the last segment
  std::optional<MotionState> state_after_end_;  // consistent with inputs that were set after the end
  double last_t_stop_;                          // of the last call of step()
  long segments_ = 0;                           // finished
  double segment_start_ = 0.0;                  // of the present or last segment [s]
  State state_ = State::starting;
};

}  // namespace sunlagrange::internal
