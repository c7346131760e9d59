#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/events/events.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/results/report.hpp>

#include "base/interpolation.hpp"
#include "events/instant.hpp"
#include "events/state.hpp"
#include "integrators/stepper.hpp"

namespace sunlagrange::internal {

/// True: a run can start from what consistent_state() returned.
bool can_start_from(const ConsistencyReport& report, Start start);

/// 1 rising, -1 falling, 0 any.
inline int crossing_direction(const Event& event) {
  return event.crossing == Crossing::rising ? 1 : event.crossing == Crossing::falling ? -1 : 0;
}

/// What events need to know about the run they belong to.
struct EventOptions : GainOptions {
  std::vector<Event> events;
  std::vector<std::string> inactive_constraints;  ///< by row or element; contacts start inactive by themselves
  double step = 0.0;                              ///< of fixed-step integrators [s]; 0: adaptive
  double t_end = 1.0;
  Start start = Start::consistent;
};

/// The events of one run: keeps track of the active constraints, evaluates root functions for the stepper, calls
/// handlers, records what they did, and makes the state from which the run goes on. Must outlive the steppers that have
/// its roots().
class EventRunner {
 public:
  /// @throws Error listing the problems of all events and of inactive_constraints, as they show at the given start
  EventRunner(const std::shared_ptr<const MechanicalSystem>& full, EventOptions options, const InitialState& given);
  EventRunner(const EventRunner&) = delete;
  EventRunner& operator=(const EventRunner&) = delete;

  /// The system with the constraints that are active now, and its rows in the full one.
  const std::shared_ptr<const MechanicalSystem>& system() const { return state_.active(); }
  const std::vector<int>& rows() const { return state_.active_rows(); }

  /// Leaves of gains and excess energy what belongs to the active rows.
  void restrict_to_active_rows(FormulationChoice& choice) const;

  RootFunctions roots();

  /// Integrators compare the signs of root functions at both ends of a step. Before one is accepted: a time inside it
  /// at which a function has the other sign: its middle, or the deepest place of the quintic polynomial of both ends,
  /// by golden section about the turn of the parabola through ends and middle. The step is to be repeated then, and to
  /// end there: next_stop(). Dips of less than 10 tolerances are none.
  std::optional<double> hidden_root(const StepEnd& begin, const StepEnd& end);

  /// Where steps from t on are to end at the latest.
  double next_stop(double t, double t_stop) const;

  /// What an instant with events came to.
  enum class Verdict {
    go_on,    ///< nothing has changed
    restart,  ///< from restart_state()
    stop,     ///< status() says why
  };

  /// Contacts that are closed at the start and limits that are exceeded there.
  Verdict begin(const MotionState& start);

  /// After a step that ended at roots.
  Verdict handle(const std::vector<int>& found, double t, const double* q, const double* v);

  /// After any other step: what to say if a contact went through unnoticed.
  std::optional<Status> missed_contact(double t, const double* q, const double* v);

  /// The root of one event at a point, of which nothing is remembered.
  double root_at(std::size_t event, const MotionState& at) {
    state_.move_to(at.t, at.q.data(), at.v.data());
    return root(options_.events[event]);
  }

  /// natural_size of q so far, of a start near q = 0 that of the way ahead.
  double size() const { return std::max(contacts_.typical_position, contacts_.way_ahead); }

  /// After Verdict::stop.
  const Status& status() const { return instant_.status; }

  /// The state after the last instant with events; at first the start.
  const MotionState& restart_state() const { return restart_; }

  /// Forces have jumped at a consistent state: contacts and limits that this decides anew.
  Verdict jump(const MotionState& state);

  /// For a checkpoint, and from one: rows that are active, what each event remembers, and what has happened.
  std::vector<bool> active() const;
  std::vector<EventMemory> memory(double t) const;
  void resume(const InitialState& at, const std::vector<bool>& active, const std::vector<EventMemory>& memory,
              const Report& report, double typical_position);

  /// Another state to go on from, found without an event. Zeros that were passed at its time stay passed.
  void restart_from(const MotionState& state);

  /// True once after an instant that led to a new consistent state; it may have done so and stopped the run.
  bool settled() { return std::exchange(instant_.settled, false); }

  /// Energy that the handlers of the last instant brought in by changing velocities [J].
  double work() const { return instant_.work; }

  /// Of all instants so far, in order of time; Report::events and Report::event_work.
  const std::vector<EventRecord>& records() const { return records_; }
  double total_work() const { return total_work_; }

 private:
  // setup.cpp
  std::string root_problem(const Event& event, const InitialState& given);
  std::string contact_problem(const Event& event);

  // runner.cpp
  double root(const Event& event) { return event.root(EventPoint(state_)); }
  void evaluate(double t, const double* q, const double* v, double* values);
  void look(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, std::vector<double>& values);
  void look(const QuinticHermite& path, double part, std::vector<double>& values);
  std::optional<double> part_of_dip(std::size_t k, const QuinticHermite& path);
  double value_of(std::size_t k);
  double depth_that_counts(std::size_t k);
  bool is_due(const Event& event);
  std::vector<std::size_t> due();
  void take(const MotionState& state);
  void begin_instant();
  void call(std::size_t k);
  void look_for_endless_repetition(std::size_t k);
  bool chatters(std::size_t k);
  Verdict finish_instant(std::size_t first_record);
  void settle(double& moved);

  EventOptions options_;
  EventState state_;
  Contacts contacts_;
  Instant instant_;  // the last one
  MotionState restart_;
  std::vector<EventRecord> records_;
  double total_work_ = Report::none;
  InitialState last_step_{NAN, {}, {}};  // that led to an instant: its end

  std::vector<double> at_begin_, middle_, at_end_, inside_;  // roots at the ends of a step and within
  double t_at_end_ = NAN;                                    // of at_end_
  Eigen::VectorXd q_, v_;                                    // inside it
  double look_at_ = -INFINITY;                               // where a repeated step ends
  std::vector<double> in_vain_;            // steps repeated since the last root, event by event; fades
  std::vector<double> largest_;            // |root| seen so far
  std::vector<bool> held_;                 // at the zero from which the run started anew
  std::vector<int> passed_;                // signs behind the zeros at last_step_, if nothing changed there
  std::vector<int> beyond_;                // sign behind the zero that was passed last, near it
  std::vector<double> near_;               // |root| up to which it is near
  std::vector<std::deque<double>> times_;  // of the last changes, event by event
  double window_;                          // [s]
};

}  // namespace sunlagrange::internal
