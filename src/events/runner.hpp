// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/events/events.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/results/report.hpp>

#include "base/interpolation.hpp"
#include "events/instant.hpp"
#include "events/state.hpp"
#include "integrators/stepper.hpp"

namespace sunlagrange::internal {

/// Returns true if a run can start from the result of consistent_state().
bool can_start_from(const ConsistencyReport& report, Start start);

/// Returns 1 for rising, -1 for falling, 0 for any crossing.
inline int crossing_direction(const Event& event) {
  return event.crossing == Crossing::rising ? 1 : event.crossing == Crossing::falling ? -1 : 0;
}

/// Returns true if the event may change the motion.
inline bool acts(const Event& event) {
  return event.action || !event.contact.empty();
}

/// Returns how messages name an event.
inline std::string at(const Event& event, double t) {
  return "event \"" + event.name + "\" at t = " + text(t);
}

/// Options of the run that its events need.
struct EventOptions : GainOptions {
  std::vector<Event> events;
  std::vector<std::string> inactive_constraints;  ///< names of rows or elements; contacts start inactive by themselves
  const InputBinder* inputs = nullptr;            ///< inputs of the run; null: actions cannot set any
  double step = 0.0;                              ///< step of fixed-step integrators [s]; 0: adaptive
  double t_end = 1.0;
  Start start = Start::consistent;
};

/// Runs the events of one run: keeps the active constraints, evaluates root functions for the stepper, calls handlers,
/// records what they did, and makes the state from which the run goes on. It must outlive the steppers that have its
/// roots().
class EventRunner {
 public:
  /// @throws Error listing the problems of all events and of inactive_constraints, as they show at the given start
  EventRunner(const std::shared_ptr<const MechanicalSystem>& full, EventOptions options, const InitialState& given);
  EventRunner(const EventRunner&) = delete;
  EventRunner& operator=(const EventRunner&) = delete;

  /// Returns the system with the active constraints, and its rows in the full system.
  const std::shared_ptr<const MechanicalSystem>& system() const { return state_.active(); }
  const std::vector<int>& rows() const { return state_.active_rows(); }

  /// Restricts gains and excess energy to the active rows.
  void restrict_to_active_rows(FormulationChoice& choice) const;

  /// Returns the root functions that an integrator searches: of all events, or of those that may change the motion. The
  /// others are found by record_on_path() then, so that the integrator does not see them.
  enum class Searched { all, acting };
  RootFunctions roots(Searched searched);

  /// Records the events without an action between two accepted states, at the zeros of their roots along the quintic
  /// polynomial. Signs are compared at the ends, in the middle and at the bottom of a dip, as in hidden_root().
  /// @param at_root  handle() follows for the end of the step, and takes over the events there
  void record_on_path(const StepEnd& begin, const StepEnd& end, bool at_root);

  /// Integrators compare the signs of root functions at the ends of a step only. Returns a time inside the step at
  /// which a function has the other sign: the middle, or the lowest point of the quintic polynomial through both ends,
  /// found by golden section about the turn of the parabola through ends and middle. The step has to be repeated then,
  /// and to end there: next_stop(). Dips of less than 10 tolerances do not count; of gaps that the model states (class
  /// NotSmooth) those of a tenth of the tolerance of positions do. Call it before a step is accepted.
  /// @param entries  true: also the time at which such a gap closes that is open at the begin of the step and closed at
  ///                 its end. Explicit methods may have no stage between, and their error test then sees nothing of the
  ///                 contact.
  std::optional<double> hidden_root(const StepEnd& begin, const StepEnd& end, bool entries = false);

  /// Returns true if an event moves positions by more than the violations of a run: they cannot jump.
  bool positions_jump(const ConsistencyReport& report, const Eigen::VectorXd& q) const;

  /// Returns true if hidden_root() has anything to look for.
  bool has_roots() const { return !roots_.empty(); }

  /// Returns true if the model states times at which it is not smooth.
  bool has_corners() const { return !corners_.empty(); }

  /// Returns true if a gap, a rate of dry friction that the model states, or the root of an event that may change the
  /// motion may change its sign more often within a step than hidden_root() sees. The times of events are known.
  bool may_hide_roots() const;

  /// Returns where steps from t on have to end at the latest: at a hidden root, or at the next time that the model
  /// states as not smooth.
  double next_stop(double t, double t_stop) const;

  /// Result of handling all events at one time.
  enum class Verdict {
    go_on,    ///< nothing has changed
    restart,  ///< from restart_state()
    stop,     ///< status() says why
  };

  /// Handles contacts that are closed at the start and limits that are exceeded there.
  Verdict begin(const MotionState& start);

  /// Handles the events whose roots ended a step.
  Verdict handle(const std::vector<int>& found, double t, const double* q, const double* v);

  /// Returns the status of a run that passed through a contact without its event, after a step without roots.
  std::optional<Status> missed_contact(double t, const double* q, const double* v);

  /// Returns the root of one event at a point. Nothing is remembered of it.
  double root_at(std::size_t event, const MotionState& at) {
    state_.move_to(at.t, at.q.data(), at.v.data());
    return root(options_.events[event]);
  }

  /// Returns the largest natural_size(q) so far; for a start near q = 0 that of the way ahead.
  double size() const { return std::max(contacts_.typical_position, contacts_.way_ahead); }

  /// Returns why the run stops, after Verdict::stop.
  const Status& status() const { return instant_.status; }

  /// Returns the state after the last instant with events; at first the start.
  const MotionState& restart_state() const { return restart_; }

  /// Handles contacts and limits after a jump of forces at a consistent state.
  Verdict jump(const MotionState& state);

  /// State for a checkpoint, and from one: active rows, memory of each event, and records.
  std::vector<bool> active() const;
  std::vector<EventMemory> memory(double t) const;
  void resume(const InitialState& at, const std::vector<bool>& active, const std::vector<EventMemory>& memory,
              const Report& report, double typical_position);

  /// Sets another state to go on from, found without an event. Roots already handled at its time are not reported
  /// again.
  void restart_from(const MotionState& state);

  /// Returns true once after an instant that led to a new consistent state, also if the run stops there.
  bool settled() { return std::exchange(instant_.settled, false); }

  /// Returns the energy that the handlers of the last instant brought in by changing velocities [J].
  double work() const { return instant_.work; }

  /// Records of all instants so far, in order of time; see Report::events and Report::event_work.
  const std::vector<EventRecord>& records() const { return records_; }
  double total_work() const { return total_work_; }

  /// Returns the names of the rows whose multipliers events have read where the motion does not determine them.
  std::vector<std::string> undetermined_forces() const {
    std::vector<std::string> names;
    for (const int row : state_.undetermined_rows_read()) names.push_back(state_.full().constraint_name(row));
    return names;
  }

 private:
  /// State of the root function of one event.
  struct RootState {
    double failed_searches = 0.0;     ///< steps repeated since the last root without finding it; decays
    double largest = 0.0;             ///< |root| so far
    bool held = false;                ///< the run started again at a zero of this root and is still at it
    int passed = 0;                   ///< sign behind the zero at the end of last_step_, if nothing changed there
    std::optional<int> beyond;        ///< sign behind the zero that was passed last, while the root is near it
    double near = 0.0;                ///< |root| up to which it is near
    std::optional<int> sign;          ///< sign at the end of the last accepted step, of an event without an action
    double became_zero = NAN;         ///< when the root became exactly zero the last time [s]
    double recorded = NAN;            ///< time of the last record on the path [s]
    int sign_recorded = 0;            ///< behind that
    std::deque<double> change_times;  ///< times of the last changes by the event [s]
  };

  /// The values of a root at the ends and in the middle of a step.
  struct ThreeValues {
    double begin, middle, end;
  };
  /// A change of the sign of the root of an event without an action.
  struct Change {
    double t;
    std::size_t event;
    int from, to;
  };

  // setup.cpp
  std::string root_problem(const Event& event, const InitialState& given);
  std::string contact_problem(const Event& event);
  bool add_gaps(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, std::vector<double>& values);

  // root_search.cpp
  bool is_event(std::size_t k) const { return k < options_.events.size(); }
  double root(const Event& event) { return event.root(EventPoint(state_)); }
  double value_of(std::size_t k);
  double near_zero(std::size_t k) const;
  int sign_of(std::size_t k, double value) const;
  void evaluate(double t, const double* q, const double* v, double* values);
  void evaluate_roots(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, std::vector<double>& values);
  void evaluate_roots(const QuinticHermite& path, double part, std::vector<double>& values);
  double significant_depth(std::size_t k);
  std::optional<double> find_dip(std::size_t k, const QuinticHermite& path, const ThreeValues& values, bool entries);
  double root_on(const QuinticHermite& path, double t, std::size_t k);

  // recorded_events.cpp
  bool only_leaves_a_point(std::size_t k, double t, int sign);
  void find_changes(std::size_t k, const QuinticHermite& path, const StepEnd& begin, const StepEnd& end,
                    std::vector<Change>& changes);
  bool counts(const Change& change);
  void record(const Change& change, const QuinticHermite& path, const StepEnd& end);

  // restart.cpp
  void set_state(const MotionState& state);
  void stay_beyond(std::size_t k, int sign);
  void ends_at_zero(InitialState end);

  // runner.cpp
  bool is_due(const Event& event);
  std::vector<std::size_t> due();
  void begin_instant();
  void call(std::size_t k);
  void check_endless_repetition(std::size_t k);
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

  std::vector<RootState> roots_;                             // one for each event, and for each gap of the model
  std::vector<std::size_t> searched_;                        // events whose roots the integrator searches
  std::vector<std::size_t> recorded_;                        // all others
  std::vector<Change> at_root_;                              // changes of these at the end of a step with a root
  std::vector<double> at_begin_, middle_, at_end_, inside_;  // roots at the ends of a step and within
  double t_at_end_ = NAN;                                    // of at_end_ [s]
  Eigen::VectorXd q_, v_;                                    // inside the step
  double suspected_root_ = -INFINITY;                        // where a repeated step ends [s]
  std::vector<double> corners_;  // times_not_smooth() and two between each two, for adaptive steps [s]
  bool has_friction_ = false;    // the model states dry friction
  double window_;                // see ContactThresholds::chatter [s]
};

}  // namespace sunlagrange::internal
