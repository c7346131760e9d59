#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <sunlagrange/simulation/checkpoint.hpp>

#include "events/runner.hpp"
#include "simulation/monitor.hpp"
#include "simulation/stretch.hpp"

namespace sunlagrange::internal {

/// What the companion of an error estimate has otherwise than a run that somebody sees: states between its steps are
/// those of the polynomial, off the constraints by no more than its steps err.
struct AsCompanion {
  std::vector<double> ends;  ///< [s] of the steps of an explicit pair, made whatever their error; empty: its own
};

/// One run from its start to its end: one integrator from each instant that changes something to the next, every
/// accepted step watched. Misuse throws as long as nothing was integrated; everything else ends in Simulation::status.
class Run {
 public:
  /// @throws Error
  Run(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given, const SimulationOptions& asked,
      std::optional<AsCompanion> as_companion = std::nullopt);
  /// Goes on with the report of a checkpoint of the same system, and with the trajectory given, which it takes over;
  /// what lies later is dropped. @throws Error, and then `trajectory` is what it was
  Run(const std::shared_ptr<const MechanicalSystem>& system, const Checkpoint& from, const SimulationOptions& asked,
      Trajectory& trajectory);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// One accepted step, not beyond t_stop. False: there was none, or the run failed in it.
  bool step(double t_stop);

  /// Forces have jumped at time(): the motion goes on from here with what they are now.
  /// @throws Error if the positions would have to jump; then nothing has happened
  void jump();

  bool over() const { return !going_; }
  double time() const { return run_.report.t_reached; }
  double t_end() const { return o_.t_end; }
  const Simulation& so_far() const { return run_; }
  Trajectory& trajectory() { return run_.trajectory; }
  MotionState state() const;
  Checkpoint save() const;

  /// Ends it. Call once, as the last.
  Simulation finish();

 private:
  Run(const std::shared_ptr<const MechanicalSystem>& system, const SimulationOptions& asked, const InitialState& given);
  void begin(const InitialState& given);
  void choose_method(const ConsistentState& start);
  void resume(const Checkpoint& from);
  void accept(const MotionState& s) { monitor_->accept(s.t, s.q.data(), s.v.data(), nullptr); }
  void enter_new_state();
  Observed observed() const;
  ConsistentState consistent_at(const InitialState& at) const;
  void go_on_from(const ConsistentState& at);
  void open_stretch();
  void leave_stepper();
  void conclude();
  void close();
  template <class Work>
  void guarded(Work&& work);

  std::shared_ptr<const MechanicalSystem> system_;
  SimulationOptions asked_, o_;  // o_: nothing automatic left
  std::optional<Fact> reason_;   // for an automatic choice of the formulation
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::optional<AsCompanion> as_companion_;
  EventRunner events_;
  Simulation run_;
  std::optional<RunMonitor> monitor_;
  std::unique_ptr<IntegratorStepper> stepper_;
  std::optional<Stretch> stretch_;
  std::optional<MotionState> after_end_;  // with inputs that were set there
  double t_stop_;                         // of the step before
  long stretches_ = 0;
  long tapered_ = 0;  // factorisations of the steppers before
  bool going_ = false;
  bool concludes_ = false;    // it started, and nothing was thrown
  bool integrating_ = false;  // misuse was found before
};

}  // namespace sunlagrange::internal
