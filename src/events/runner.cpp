#include "events/runner.hpp"

#include <algorithm>
#include <cmath>

namespace sunlagrange {
namespace {

/// An event that changes something this many times within `window_` never ends.
constexpr std::size_t chatter_count = 50;

/// A fired root within this, relative to its largest value, is still at the same zero.
constexpr double same_zero = 1e-12;

std::string at(const Event& event, double t) {
  return "event \"" + event.name + "\" at t = " + text(t);
}

}  // namespace

bool usable(const ConsistencyReport& report, Start start) {
  return report.accelerations_known ||
         (start == Start::as_given && report.feasible && report.status.outcome == Outcome::rank_loss);
}

/// A root that has fired is reported as exactly zero from where the run starts anew until it leaves the neighbourhood
/// of its zero: till then SUNDIALS disregards it, and neither sees the same zero again nor misses the next one because
/// of a rounding error at the start.
void EventRunner::evaluate(double t, const double* q, const double* v, double* values) {
  state_.move_to(t, q, v);
  for (std::size_t k = 0; k < options_.events.size(); ++k) {
    const Event& event = options_.events[k];
    values[k] = event.root(state_);
    if (!std::isfinite(values[k])) throw Error(at(event, t) + ": the root function is not finite");
    largest_[k] = std::max(largest_[k], std::abs(values[k]));
    held_[k] = held_[k] && std::abs(values[k]) <= same_zero * largest_[k];
    if (held_[k]) values[k] = 0.0;
  }
}

double EventRunner::gap_tolerance(int row) {
  return state_.gradient_sum(row) * (options_.atol + options_.rtol * state_.q().lpNorm<Eigen::Infinity>());
}

/// Whether a contact closes, or a limit is exceeded, at a state that was not reached by a step.
bool EventRunner::is_due(const Event& event) {
  const int row = event.contact.empty() ? -1 : state_.row_of(event.contact);
  if (row >= 0 && !state_.is_active(row)) {
    if (state_.gap(row) > 1e-3 * gap_tolerance(row)) return false;
    const double noise = state_.rate_noise(row);
    if (std::abs(state_.rate(row)) > noise) return state_.rate(row) < 0.0;
    return state_.acceleration(row) < -state_.acceleration_noise(row);
  }
  return event.limit && crossing_direction(event) * event.root(state_) > 0.0;
}

std::vector<std::size_t> EventRunner::due() {
  std::vector<std::size_t> list;
  for (std::size_t k = 0; k < options_.events.size(); ++k) {
    const Event& event = options_.events[k];
    if ((!fired_[k] || !event.contact.empty()) && is_due(event)) list.push_back(k);
  }
  return list;
}

/// The state of the run, from which events are seen from now on.
void EventRunner::take(const MotionState& state) {
  restart_ = state;
  handling_.size = std::max(handling_.size, state.q.lpNorm<Eigen::Infinity>());
  restart_.typical_position = handling_.size;
  state_.move_to(state.t, state.q.data(), state.v.data());
}

EventRunner::Verdict EventRunner::begin(const MotionState& start, Simulation& run) {
  take(start);
  for (const int row : handling_.contacts) {
    if (state_.is_active(row) || state_.gap(row) >= -gap_tolerance(row)) continue;
    run.status = {Outcome::infeasible, "contact \"" + state_.full().constraint_name(row) +
                                           "\" is penetrated at t = " + text(start.t) + ", gap " +
                                           text(state_.gap(row)) + "; start where it is open or closed"};
    return Verdict::stop;
  }
  for (const std::size_t k : due()) call(k, run);
  return finish_instant(run, 0);
}

EventRunner::Verdict EventRunner::handle(const std::vector<int>& found, double t, const double* q, const double* v,
                                         Simulation& run) {
  state_.move_to(t, q, v);
  work_ = 0.0;
  settled_ = handling_.changed = false;
  std::fill(fired_.begin(), fired_.end(), false);
  drift_ = state_.largest_active_rate();
  const std::size_t first_record = run.report.events.size();
  bool projected = false;
  for (std::size_t k = 0; k < found.size() && !handling_.stop; ++k) {
    if (found[k] == 0) continue;
    if (options_.events[k].action && !projected && state_.law().has_forces())
      projected = project_velocities();  // handlers do not see the drift
    if (!handling_.stop) call(k, run);
  }
  return finish_instant(run, first_record);
}

bool EventRunner::contacts_hold(double t, const double* q, const double* v, Status& status) {
  if (handling_.contacts.empty()) return true;
  state_.move_to(t, q, v);
  for (const int row : handling_.contacts) {
    if (state_.is_active(row) || state_.gap(row) >= -10.0 * gap_tolerance(row)) continue;
    status = {Outcome::integrator_failure, "contact \"" + state_.full().constraint_name(row) +
                                               "\" was passed unnoticed before t = " + text(t) + ", gap " +
                                               text(state_.gap(row)) + "; tighten the tolerances or shorten the step"};
    return false;
  }
  return true;
}

/// One handler and its record; contacts in which nothing happened leave none.
void EventRunner::call(std::size_t k, Simulation& run) {
  const Event& event = options_.events[k];
  const bool changed_before = handling_.changed;
  const bool stopped_before = handling_.stop;
  handling_.begin_handler();
  fired_[k] = true;
  EventRecord record;
  record.t = state_.t();
  record.name = event.name;
  record.kinetic_energy_before = state_.kinetic_energy();
  const double energy = state_.energy();
  const Eigen::VectorXd v = state_.v();
  try {
    EventContext context(state_, handling_);
    if (event.action) event.action(context);
  } catch (const std::exception& error) {
    handling_.end(Outcome::model_error, error.what());
  }
  look_for_endless_repetition(k);
  if (handling_.stop && !stopped_before)
    handling_.status.message = at(event, state_.t()) + ": " + handling_.status.message;
  if (handling_.changed && state_.full().energy_known()) work_ += state_.energy() - energy;
  record.kinetic_energy_after = state_.kinetic_energy();
  record.done = handling_.done;
  const Eigen::VectorXd after = state_.v();
  state_.set_velocity(v);
  record.velocity_violation_before = std::max(drift_, state_.largest_active_rate());
  state_.set_velocity(after);
  if (handling_.changed || handling_.stop || event.contact.empty()) run.report.events.push_back(std::move(record));
  handling_.changed = handling_.changed || changed_before;
}

void EventRunner::look_for_endless_repetition(std::size_t k) {
  for (const int row : handling_.pressed) {
    if (state_.is_active(row)) continue;
    const std::string& name = state_.full().constraint_name(row);
    handling_.end(Outcome::step_limit, "impacts accumulate, the next rebound of \"" + name +
                                           "\" is below the tolerances; use unilateral_contact(\"" + name +
                                           "\", e), which lets it rest");
  }
  if (handling_.changed && chatters(k)) {
    handling_.end(Outcome::step_limit, "changed the state " + std::to_string(chatter_count) + " times within " +
                                           text(window_) +
                                           " s; the handler leads back to the root: check the crossing");
  }
}

bool EventRunner::chatters(std::size_t k) {
  std::deque<double>& times = times_[k];
  times.push_back(state_.t());
  if (times.size() < chatter_count) return false;
  const double span = times.back() - times.front();
  times.pop_front();
  return span <= window_;
}

/// After the handlers of an instant: a consistent state, which may close further contacts.
EventRunner::Verdict EventRunner::finish_instant(Simulation& run, std::size_t first_record) {
  std::vector<EventRecord>& records = run.report.events;
  double moved = 0.0;
  const std::size_t most_rounds = 10 + 4 * handling_.contacts.size();
  for (std::size_t round = 0; handling_.changed && !handling_.failed(); ++round) {
    settle(moved);
    if (records.size() > first_record) records.back().kinetic_energy_after = state_.kinetic_energy();
    if (handling_.stop) break;
    const std::vector<std::size_t> list = due();
    if (list.empty()) break;
    if (round == most_rounds) {
      handling_.end(Outcome::step_limit, at(options_.events[list.front()], state_.t()) +
                                             ": contacts and limits switch each other without end; they act together "
                                             "there, which handlers one after the other cannot resolve");
      break;
    }
    for (const std::size_t k : list) call(k, run);
  }
  std::vector<std::string> active;
  for (const int row : state_.active_rows()) active.push_back(state_.full().constraint_name(row));
  for (std::size_t k = first_record; k < records.size(); ++k) {
    records[k].velocity_violation_after = state_.largest_active_rate();
    records[k].moved_positions = moved;
    records[k].active_constraints = active;
  }
  if (state_.full().energy_known() && records.size() > first_record)
    run.report.event_work = work_ + (std::isnan(run.report.event_work) ? 0.0 : run.report.event_work);
  if (handling_.stop) run.status = handling_.status;
  if (handling_.changed) held_ = fired_;
  return handling_.stop ? Verdict::stop : handling_.changed ? Verdict::restart : Verdict::go_on;
}

/// Velocities onto the active constraints, as in a plastic impact.
bool EventRunner::project_velocities() {
  if (state_.active()->num_constraints() == 0) return true;
  const VelocityJump jump = velocity_jump(state_.active(), {state_.t(), state_.q(), state_.v()},
                                          std::vector<std::string>(), 0.0, handling_.jump);
  if (!jump.status.finished()) {
    handling_.end(jump.status.outcome, jump.status.message);
    return false;
  }
  state_.set_velocity(jump.v);
  return true;
}

/// Velocities, positions, accelerations and multipliers that fit the active constraints.
void EventRunner::settle(double& moved) {
  const double energy = state_.energy();
  if (!project_velocities()) return;
  if (state_.full().energy_known()) work_ += state_.energy() - energy;
  ConsistencyOptions consistency;
  consistency.start = options_.start;
  consistency.linear_solver = options_.linear_solver;
  consistency.typical_position = handling_.size;
  const ConsistentState settled = consistent_state(state_.active(), {state_.t(), state_.q(), state_.v()}, consistency);
  if (!usable(settled.report, options_.start))
    return handling_.end(settled.report.status.outcome, settled.report.status.message);
  moved = std::max(moved, settled.report.moved_positions);
  take(settled.state);
  settled_ = true;
}

}  // namespace sunlagrange
