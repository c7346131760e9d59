#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/simulation/simulate.hpp>

#include "events/state.hpp"
#include "sundials/stepper.hpp"

namespace sunlagrange {

/// True: a run can start from what consistent_state() returned.
bool usable(const ConsistencyReport& report, Start start);

/// 1 rising, -1 falling, 0 any.
inline int crossing_direction(const Event& event) {
  return event.crossing == Crossing::rising ? 1 : event.crossing == Crossing::falling ? -1 : 0;
}

/// The events of one run: keeps track of the active constraints, evaluates root functions for the stepper, calls
/// handlers, and makes the state from which the run goes on. Must outlive the steppers that have its roots().
class EventRunner {
 public:
  /// @throws Error listing the problems of all events and of inactive_constraints, as they show at the given start
  EventRunner(const std::shared_ptr<const MechanicalSystem>& full, const SimulationOptions& options,
              const InitialState& given);

  /// The system with the constraints that are active now, and its rows in the full one.
  const std::shared_ptr<const MechanicalSystem>& system() const { return state_.active(); }
  const std::vector<int>& rows() const { return state_.active_rows(); }

  /// Gains of the active rows.
  Gains gains() const;

  RootFunctions roots();

  /// What an instant with events came to.
  enum class Verdict {
    go_on,    ///< nothing has changed
    restart,  ///< from restart_state()
    stop,     ///< Simulation::status says why
  };

  /// Contacts that are closed at the start and limits that are exceeded there.
  Verdict begin(const MotionState& start, Simulation& run);

  /// After a step that ended at roots.
  Verdict handle(const std::vector<int>& found, double t, const double* q, const double* v, Simulation& run);

  /// After any other step: false if a contact went through unnoticed, and why.
  bool contacts_hold(double t, const double* q, const double* v, Status& status);

  /// The state after the last instant with events; at first the start.
  const MotionState& restart_state() const { return restart_; }

  /// Another state to go on from, found without an event.
  void restart_from(const MotionState& state) { take(state); }

  /// True once after an instant that led to a new consistent state; it may have done so and stopped the run.
  bool settled() { return std::exchange(settled_, false); }

  /// Energy that the handlers of the last instant brought in by changing velocities [J].
  double work() const { return work_; }

 private:
  // simulate_event_setup.cpp
  static std::string form_problem(const Event& event);
  std::string root_problem(const Event& event, const InitialState& given);
  std::string contact_problem(const Event& event);

  // simulate_events.cpp
  void evaluate(double t, const double* q, const double* v, double* values);
  double gap_tolerance(int row);
  bool is_due(const Event& event);
  std::vector<std::size_t> due();
  void take(const MotionState& state);
  void call(std::size_t k, Simulation& run);
  void look_for_endless_repetition(std::size_t k);
  bool chatters(std::size_t k);
  Verdict finish_instant(Simulation& run, std::size_t first_record);
  bool project_velocities();
  void settle(double& moved);

  SimulationOptions options_;
  EventState state_;
  EventHandling handling_;
  MotionState restart_;
  double work_ = 0.0;
  double drift_ = 0.0;  // velocity violation before the instant
  bool settled_ = false;

  std::vector<double> largest_;            // |root| seen so far
  std::vector<bool> fired_;                // in the last instant
  std::vector<bool> held_;                 // at the zero from which the run started anew
  std::vector<std::deque<double>> times_;  // of the last changes, event by event
  double window_;                          // [s]
};

}  // namespace sunlagrange
