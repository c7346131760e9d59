// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace sunlagrange {

namespace internal {
class EventRunner;
class EventState;
struct Instant;
}  // namespace internal

/// A point of the motion as root functions read it, with the constraints of the full system by name, active or not. A
/// name is that of a row, or that of an element for all its rows. A point is valid during the call only. All functions
/// throw Error if there is no such constraint; those for "one row" also if it has several.
class EventPoint {
 public:
  double t() const;                  ///< [s]
  const Eigen::VectorXd& q() const;  ///< length n
  const Eigen::VectorXd& v() const;  ///< length n

  /// Returns the value of an input, an element or a law of type Input, by its name (Stepper::inputs()).
  /// @throws Error if there is none, or if the analysis sets none
  double input(const std::string& name) const;

  /// Returns true if all rows of the constraint are switched on.
  bool active(const std::string& constraint) const;

  /// Returns g of a holonomic constraint of one row. For a contact it is the gap, positive when open.
  double gap(const std::string& constraint) const;

  /// Returns g' or psi of a constraint of one row.
  double rate(const std::string& constraint) const;

  /// Returns the physical multiplier of a constraint of one row [J per unit of g], computed from (t, q, v) with the
  /// active constraints; 0 if the row is switched off. It is negative for a contact that pushes: the force is -G^T
  /// lambda. The first call at a point costs a factorisation.
  double multiplier(const std::string& constraint) const;

  /// Returns the Euclidean norm of the multipliers of all rows, e.g. the force in a pin joint [N].
  double multiplier_norm(const std::string& constraint) const;

  /// Returns (max |f| + max |M v'|) / max |G_i| of a constraint of one row: multipliers far below are rounding errors.
  double typical_multiplier(const std::string& constraint) const;

 private:
  friend class internal::EventRunner;
  friend class EventContext;
  explicit EventPoint(internal::EventState& state) : state_(&state) {}

  internal::EventState* state_;
};

/// Result of EventContext::impact.
struct Impact {
  double rate_before = 0.0;    ///< rate of the gap [unit of g per s], negative when closing
  double rate_after = 0.0;     ///< -e times that
  double loss = 0.0;           ///< loss of kinetic energy [J]
  bool comes_to_rest = false;  ///< the rebound is too small to be resolved: see EventContext::impact
};

/// The state that a handler reads and changes. It reads velocities that are projected onto the active constraints.
/// Changes act at once; after the last handler of one time the run restarts from a consistent state (consistent_state,
/// in the mass metric) with a new integrator.
class EventContext : public EventPoint {
 public:
  /// Applies a velocity jump with Newton's restitution to a constraint of one row that is switched off, see
  /// velocity_jump(); the active constraints take part. Nothing happens if the gap is opening. Active contacts that
  /// would have to pull are switched off.
  ///
  /// The rebound comes to rest if the gap would open by less than the position tolerance, sum_j |G_ij| s_j (atol + rtol
  /// max|q / s|), natural scales s, or (fixed steps) close again within one step, or if e = 0 and a force presses. Then
  /// activate it; if the handler leaves it open although a force presses, impacts accumulate, and the run ends with
  /// Outcome::step_limit.
  /// @param restitution  e in [0, 1]
  Impact impact(const std::string& constraint, double restitution);

  /// Switches a constraint on. Velocities jump onto it as in a plastic impact; g must be zero here already: the run
  /// ends with Outcome::infeasible if |g| > 1e-4 sum_j |G_ij| max|q|, max|q| over the start and all events so far (of a
  /// start near q = 0 the way that lies ahead); less than that is projected and reported.
  void activate(const std::string& constraint);

  /// Switches a constraint off.
  void deactivate(const std::string& constraint);

  /// Sets the velocities, length n; they are projected onto the active constraints. A handler of your own that reverses
  /// velocities has none of the safeguards of impact().
  void set_velocity(const Eigen::VectorXd& v);

  /// Sets an input from now on, as Stepper::set() does. Forces may jump, and so may velocities that an input
  /// prescribes; the run ends with Outcome::infeasible if positions would have to.
  void set_input(const std::string& name, double value);

  /// Makes the integrator start anew behind this instant, as it does behind every action but one of a contact that has
  /// changed nothing. Call it there if the action has changed what the model reads.
  void restart();

  /// Ends the run here: Outcome::finished with a message that names the event and the reason.
  void stop(const std::string& reason);

 private:
  friend class internal::EventRunner;
  EventContext(internal::EventState& state, internal::Instant& instant) : EventPoint(state), instant_(&instant) {}

  internal::Instant* instant_;
};

/// Changes of the sign of the root function that count. The signs are -1, 0 and 1: a function that is zero over a while
/// changes its sign where it becomes zero and where it leaves zero. A zero at one point, at which the function changes
/// from negative to positive, is one event. One at the start is none: the sign behind it counts.
enum class Crossing {
  any,
  rising,   ///< to a larger sign: from negative to zero or positive, from zero to positive
  falling,  ///< to a smaller sign
};

/// An action at the time when a function of (t, q, v) passes through zero, or at given times: an impact, a stop, a
/// switch of constraints, a new value of an input.
///
/// @code
/// Event lowest;
/// lowest.name = "lowest";
/// lowest.root = [](const EventPoint& p) { return p.q()[0]; };
/// lowest.crossing = Crossing::falling;
/// lowest.action = [](EventContext& c) { c.stop("the arm hangs down"); };
/// options.events = {lowest};
/// @endcode
///
/// The integrator finds the zero, with the accuracy of its dense output. It compares the signs at the ends of a step;
/// two zeros within one step are searched where the root turns inside the step. Dips of less than 10 rtol of its
/// largest value, or much shorter than a step, are missed: use max_step, or the rate of such a function as the root.
/// Zeros of events without an action are found in the same way on the polynomial between accepted states: such events
/// change no bit of the run. velocity_jump.hpp has the equations of impacts.
struct Event {
  std::string name;  ///< name in the report; unique in a run

  /// The function, unless `times` are given. It is continuous in t, q, v while the active constraints stay the same,
  /// may throw, and must not keep the point. A root that the action itself holds at zero, e.g. the gap of a constraint
  /// that it switches on, should return another value while the constraint is active(): its zeros are noise then.
  std::function<double(const EventPoint&)> root;
  Crossing crossing = Crossing::any;  ///< signs that count

  /// The handler; the integrator restarts behind it, of a contact if the state has changed. Empty: only a record.
  std::function<void(EventContext&)> action = {};

  /// True if the root is a limit: the action is also called at the start and after other events (where multipliers
  /// jump) if the limit is exceeded there. Not with Crossing::any.
  bool limit = false;

  /// Name of a constraint of one row whose g must stay >= 0 while it is switched off. It is switched off at the start.
  /// The action is also called at the start and after other events if the gap is closed and closing. A gap that becomes
  /// negative without the event ends the run.
  std::string contact = {};

  /// Times of the event [s] in place of a root, increasing. The time of the start counts, earlier ones do not.
  std::vector<double> times = {};
};

/// State of an event for a Checkpoint: the zero at which the motion is, or which it has just passed.
struct EventMemory {
  std::string name;      ///< Event::name
  double largest = 0.0;  ///< |root| so far
  bool held = false;     ///< the run restarted at a zero of the root and is still there
  int passed = 0;        ///< sign behind a zero that was passed at the time of the checkpoint; 0: there is none
};

/// Returns an event that ends the run when the gap closes.
Event stop_at_contact(const std::string& constraint);

/// Returns an event with an impact of restitution e in [0, 1] each time the gap closes; the contact never lasts. If it
/// should (e is small and a force presses), impacts accumulate and the run ends: use unilateral_contact then.
/// @throws Error if e is not in [0, 1]
Event impact_event(const std::string& constraint, double restitution);

/// Returns a contact without friction: impacts with restitution e; the constraint is switched on when the rebound comes
/// to rest (EventContext::impact), and off when its multiplier changes sign, i.e. when it would have to pull.
///
/// Wrong for: friction; several contacts that close or open together, which are treated one after the other (no
/// complementarity problem is solved); impacts that travel through touching bodies, as in Newton's cradle; contacts
/// whose compliance matters. [PfeifferGlocker1996]
/// @throws Error if e is not in [0, 1]
Event unilateral_contact(const std::string& constraint, double restitution = 0.0);

/// Returns a joint that breaks: all rows of the constraint are switched off for good when the Euclidean norm of their
/// multipliers exceeds `limit` [J per unit of g; N for pin joints]. Rows in different units need an Event of your own.
/// @throws Error if limit is not positive
Event release_when(const std::string& constraint, double limit);

}  // namespace sunlagrange
