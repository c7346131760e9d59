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

/// A point of the motion as root functions see it, with the constraints of the full system by name, active or not. A
/// name is that of a row, or that of an element for all its rows. Valid during the call only.
/// All look-ups throw Error if there is no such constraint; those that say "one row" also if it has several.
class EventPoint {
 public:
  double t() const;                  ///< [s]
  const Eigen::VectorXd& q() const;  ///< length n
  const Eigen::VectorXd& v() const;  ///< length n

  /// All rows of the constraint are switched on.
  bool active(const std::string& constraint) const;

  /// g of a holonomic constraint of one row. For a contact: the gap, positive when open.
  double gap(const std::string& constraint) const;

  /// g' or psi of a constraint of one row.
  double rate(const std::string& constraint) const;

  /// Physical multiplier of a constraint of one row [J per unit of g], recomputed from (t, q, v) with the active
  /// constraints; 0 if it is switched off. A contact that pushes has a negative one: the force is -G^T lambda.
  /// The first look-up at a point costs a factorisation.
  double multiplier(const std::string& constraint) const;

  /// Euclidean norm of the multipliers of all rows, e.g. the force in a pin joint [N].
  double multiplier_norm(const std::string& constraint) const;

  /// (max |f| + max |M v'|) / max |G_i| of a constraint of one row: multipliers far below are rounding errors.
  double typical_multiplier(const std::string& constraint) const;

 private:
  friend class internal::EventRunner;
  friend class EventContext;
  explicit EventPoint(internal::EventState& state) : state_(&state) {}

  internal::EventState* state_;
};

/// What EventContext::impact did.
struct Impact {
  double rate_before = 0.0;    ///< of the gap [unit of g per s], negative when closing
  double rate_after = 0.0;     ///< -e times that
  double loss = 0.0;           ///< of kinetic energy [J]
  bool comes_to_rest = false;  ///< the rebound is too small to be resolved: see EventContext::impact
};

/// What a handler sees and does. It sees velocities projected onto the active constraints. Changes act at once; after
/// the last handler of an instant the run starts anew from a consistent state (consistent_state, in the mass metric)
/// with a fresh integrator.
class EventContext : public EventPoint {
 public:
  /// Velocity jump with Newton's restitution on a constraint of one row that is switched off, velocity_jump(); the
  /// active constraints take part. Nothing happens if the gap is opening. Active contacts that would have to pull open.
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

  /// Other velocities, length n; those that violate active constraints are projected. A bouncing handler of your own
  /// has none of the safeguards of impact().
  void set_velocity(const Eigen::VectorXd& v);

  /// Ends the run here: Outcome::finished with a message that names the event and the reason.
  void stop(const std::string& reason);

 private:
  friend class internal::EventRunner;
  EventContext(internal::EventState& state, internal::Instant& instant) : EventPoint(state), instant_(&instant) {}

  internal::Instant* instant_;
};

/// Which sign changes of the root function count.
enum class Crossing {
  any,
  rising,   ///< from negative to positive
  falling,  ///< from positive to negative
};

/// Something that happens when a function of the motion passes through zero. SUNDIALS finds the zero; times are good to
/// the dense output of the integrator. Two zeros within one step, which it cannot see, are looked for where the root
/// turns inside the step; dips of less than 10 rtol of its largest value, or much shorter than a step, are missed: use
/// max_step, or the rate of such a root as the root.
struct Event {
  std::string name;  ///< in the report; unique in a run

  /// Continuous in t, q, v while the active constraints stay the same. May throw; must not keep the point. A root that
  /// the action itself holds at zero, e.g. the gap of a constraint it switches on, should return something else while
  /// active(), as its zeros are noise.
  std::function<double(const EventPoint&)> root;
  Crossing crossing = Crossing::any;

  /// Empty, or changes nothing: the event is recorded and the integrator goes on undisturbed.
  std::function<void(EventContext&)> action = {};

  /// The root is a limit: the action is also called at the start and after other events (where multipliers jump) if it
  /// is exceeded already. Not with Crossing::any.
  bool limit = false;

  /// A constraint of one row whose g must stay >= 0 while it is switched off. It starts switched off; then the action
  /// is also called at the start and after other events if the gap is closed and closing. A gap that becomes negative
  /// without the event ends the run.
  std::string contact = {};
};

/// What an event remembers of the motion, for a Checkpoint: which zero it has just left.
struct EventMemory {
  std::string name;
  double largest = 0.0;  ///< |root| so far
  bool held = false;     ///< the motion went on from a zero and is still at it
  int passed = 0;        ///< at a zero that was passed at this very time: the sign behind it
};

/// Ends the run when the gap closes.
Event stop_at_contact(const std::string& constraint);

/// Impact with restitution e in [0, 1] each time the gap closes; the contact never lasts. When it should (e small and
/// something presses), impacts accumulate and the run ends: use unilateral_contact then.
/// @throws Error if e is not in [0, 1]
Event impact_event(const std::string& constraint, double restitution);

/// Contact without friction: impacts with restitution e; switched on when the rebound comes to rest
/// (EventContext::impact), switched off when the multiplier changes its sign, i.e. when it would have to pull.
///
/// Wrong for: friction; several contacts that close or open together, which are treated one after the other (no
/// complementarity problem is solved); impacts that travel through touching bodies, as in Newton's cradle; contacts
/// whose compliance matters. [PfeifferGlocker1996]
/// @throws Error if e is not in [0, 1]
Event unilateral_contact(const std::string& constraint, double restitution = 0.0);

/// A joint that breaks: all rows of the constraint are switched off for good when the Euclidean norm of their
/// multipliers exceeds `limit` [J per unit of g; N for pin joints]. Rows in different units need an Event of your own.
/// @throws Error if limit is not positive
Event release_when(const std::string& constraint, double limit);

}  // namespace sunlagrange
