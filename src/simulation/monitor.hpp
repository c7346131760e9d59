// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sunlagrange/results/simulation.hpp>
#include <sunlagrange/simulation/simulate.hpp>

#include "simulation/checks/feasibility.hpp"
#include "simulation/checks/singular_passages.hpp"
#include "simulation/monitoring_clock.hpp"
#include "simulation/recorder.hpp"

namespace sunlagrange::internal {

/// Samples the accepted states of a run, shows each sample to all checks, and records it in the trajectory. It reads
/// the system and, where possible, the last evaluation of the formulation; it never changes the integrator.
class RunMonitor {
 public:
  /// @param system  with the constraints that are active
  /// @param rows    their rows in the full system, as in the trajectory
  RunMonitor(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows,
             const SimulationOptions& options, Simulation& run);

  /// Call before the start is accepted, with the start as it was given.
  void note_start(const InitialState& given) { observed_.start_is_guessed = !given.fixed_positions.empty(); }

  /// The motion starts again, perhaps with other active constraints; accept() of the new state follows.
  /// @param event_work  energy that velocity jumps brought in [J]
  void restart(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<int>& rows, double event_work);

  /// A new integrator starts from (q, v).
  void begin_segment(IntegratorStepper& stepper, const double* q, const double* v);

  /// Call with the start, with every accepted step, and with states that no step led to.
  /// @param a  v' as the formulation has it; null: not known
  void accept(double t, const double* q, const double* v, const double* a, const AcceptedStep& step = {});

  /// Returns why the run has to end at the newest state, if it has to.
  const std::optional<Status>& stop_reason() const { return observed_.stop_reason; }
  /// True if the newest state is no state of the mechanism. stop_reason() says why.
  bool newest_rejected() const { return observed_.newest_rejected; }

  /// Completes the figures after the last state; the checks may change the outcome.
  void conclude(Status& status);

  /// Appends the last state to the trajectory if it is not there.
  void keep_end();

  /// Judges a run that finished. @param system  with all constraints
  std::vector<Doubt> doubts(const MechanicalSystem& system) const;

  /// State of the checks, for a checkpoint and from one. Restore it before the first state.
  std::map<std::string, CheckState> save() const { return checks_.save(); }
  void restore(const std::map<std::string, CheckState>& states) { checks_.restore(states); }

  /// See TrajectoryRecorder.
  void record_polynomials() { recorder_.record_polynomials(); }
  void set_start_acceleration(const double* a);
  void set_start_velocity(const double* v);

  const SampledPath& path() const { return path_; }
  const PathSample& newest() const { return path_.newest(); }
  const Feasibility& feasibility() const { return feasibility_; }
  SingularPassages& passages() { return passages_; }

 private:
  Simulation& run_;
  SampledPath path_;
  ObservedRun observed_;
  CheckList checks_;
  Feasibility& feasibility_;
  SingularPassages& passages_;
  TrajectoryRecorder recorder_;
  MonitoringClock clock_;
};

}  // namespace sunlagrange::internal
