// SPDX-License-Identifier: BSD-3-Clause
#include "events/runner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by events_test and contacts_test.
struct ContactThresholds {
  std::size_t chatter = 50;  ///< changes by one event within EventRunner::window_ that never end
  double closed = 1e-3;      ///< tolerances: gap of a contact that counts as closed at a new state
  double missed = 10.0;      ///< tolerances: penetration of a contact whose event was missed
};
constexpr ContactThresholds contact_threshold;

}  // namespace

bool can_start_from(const ConsistencyReport& report, Start start) {
  return report.accelerations_known ||
         (start == Start::as_given && report.feasible && report.status.outcome == Outcome::rank_loss);
}

/// Returns true if a contact closes, or a limit is exceeded, at a state that no step has led to.
bool EventRunner::is_due(const Event& event) {
  const int row = event.contact.empty() ? -1 : state_.row_of(event.contact);
  if (row >= 0 && !state_.is_active(row)) {
    if (state_.gap(row) > contact_threshold.closed * contacts_.gap_tolerance(state_, row)) return false;
    const double noise = state_.rate_noise(row);
    if (std::abs(state_.rate(row)) > noise) return state_.rate(row) < 0.0;
    return state_.acceleration(row) < -state_.acceleration_noise(row);
  }
  return event.limit && crossing_direction(event) * root(event) > 0.0;
}

std::vector<std::size_t> EventRunner::due() {
  std::vector<std::size_t> list;
  for (std::size_t k = 0; k < options_.events.size(); ++k) {
    const Event& event = options_.events[k];
    if ((!instant_.fired[k] || !event.contact.empty()) && is_due(event)) list.push_back(k);
  }
  return list;
}

void EventRunner::begin_instant() {
  instant_ = Instant(contacts_);
  instant_.fired.assign(options_.events.size(), false);
}

EventRunner::Verdict EventRunner::begin(const MotionState& start) {
  begin_instant();
  set_state(start);
  const double ahead = options_.t_end - start.t;
  const double way = std::max(natural_size(state_.full(), start.v) * ahead,
                              0.5 * natural_size(state_.full(), start.a) * ahead * ahead);
  if (natural_size(state_.full(), start.q) <= 1e-3 * way) contacts_.way_ahead = way;
  for (const int row : contacts_.rows) {
    if (state_.is_active(row) || state_.gap(row) >= -contacts_.gap_tolerance(state_, row)) continue;
    instant_.stop(Outcome::infeasible, "contact \"" + state_.full().constraint_name(row) +
                                           "\" is penetrated at t = " + text(start.t) + ", gap " +
                                           text(state_.gap(row)) + "; start where it is open or closed");
    return Verdict::stop;
  }
  std::vector<std::size_t> now = due();
  for (std::size_t k = 0; k < options_.events.size(); ++k) {
    const std::vector<double>& times = options_.events[k].times;
    const auto at_start = [&](double t) { return std::abs(t - start.t) <= shortest_interval(start.t); };
    if (std::any_of(times.begin(), times.end(), at_start)) now.push_back(k);
  }
  std::sort(now.begin(), now.end());
  for (const std::size_t k : now) call(k);
  return finish_instant(0);
}

EventRunner::Verdict EventRunner::jump(const MotionState& state) {
  restart_from(state);
  begin_instant();
  const std::size_t first_record = records_.size();
  for (const std::size_t k : due()) {
    if (!roots_[k].beyond || options_.events[k].action) call(k);
  }
  return finish_instant(first_record);
}

EventRunner::Verdict EventRunner::handle(const std::vector<int>& found, double t, const double* q, const double* v) {
  begin_instant();
  t_at_end_ = NAN;
  ends_at_zero({t, Eigen::Map<const Eigen::VectorXd>(q, q_.size()), Eigen::Map<const Eigen::VectorXd>(v, v_.size())});
  for (std::size_t i = 0; i < found.size(); ++i) roots_[searched_[i]].passed = found[i];
  state_.move_to(t, q, v);
  instant_.drift = state_.largest_active_rate();
  const std::size_t first_record = records_.size();
  bool projected = false;
  std::vector<std::size_t> happened;
  for (const Change& change : std::exchange(at_root_, {})) happened.push_back(change.event);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == 0) continue;
    const std::size_t k = searched_[i];
    roots_[k].failed_searches = 0.0;
    roots_[k].beyond = value_of(k) == 0.0 ? 0 : found[i];
    if (!only_leaves_a_point(k, t, *roots_[k].beyond)) happened.push_back(k);
  }
  std::sort(happened.begin(), happened.end());
  for (const std::size_t k : happened) {
    if (instant_.stopped) break;
    if (options_.events[k].action && !projected && state_.law().has_forces)
      projected = project_velocities(state_, instant_);  // handlers do not see the drift
    if (!instant_.stopped) call(k);
  }
  return finish_instant(first_record);
}

std::optional<Status> EventRunner::missed_contact(double t, const double* q, const double* v) {
  if (contacts_.rows.empty()) return std::nullopt;
  state_.move_to(t, q, v);
  for (const int row : contacts_.rows) {
    if (state_.is_active(row) || state_.gap(row) >= -contact_threshold.missed * contacts_.gap_tolerance(state_, row))
      continue;
    return Status{Outcome::integrator_failure,
                  "contact \"" + state_.full().constraint_name(row) + "\" was passed unnoticed before t = " + text(t) +
                      ", gap " + text(state_.gap(row)) + "; tighten the tolerances or shorten the step"};
  }
  return std::nullopt;
}

/// Calls one handler and records it. A contact in which nothing happened leaves no record.
void EventRunner::call(std::size_t k) {
  const Event& event = options_.events[k];
  const bool changed_before = instant_.changed;
  const bool stopped_before = instant_.stopped;
  instant_.begin_handler();
  instant_.fired[k] = true;
  EventRecord record;
  record.t = state_.t();
  record.name = event.name;
  record.kinetic_energy_before = state_.kinetic_energy();
  const double energy = state_.energy();
  const Eigen::VectorXd v = state_.v();
  try {
    EventContext context(state_, instant_);
    if (event.action) event.action(context);
  } catch (const std::exception& error) {
    instant_.stop(Outcome::model_error, error.what());
  }
  check_endless_repetition(k);
  if (instant_.stopped && !stopped_before)
    instant_.status.message = at(event, state_.t()) + ": " + instant_.status.message;
  if (instant_.changed && state_.full().energy_known()) instant_.work += state_.energy() - energy;
  record.kinetic_energy_after = state_.kinetic_energy();
  record.done = instant_.done;
  const Eigen::VectorXd after = state_.v();
  state_.set_velocity(v);
  record.velocity_violation_before = std::max(instant_.drift, state_.largest_active_rate());
  state_.set_velocity(after);
  if (instant_.changed || instant_.stopped || event.contact.empty()) records_.push_back(std::move(record));
  // An action may have changed what the model reads, which the integrator cannot see: it starts anew. Those of contacts
  // change the state if they do anything.
  const bool may_have_changed = event.action && event.contact.empty() && !instant_.stopped;
  instant_.changed = instant_.changed || changed_before || may_have_changed;
}

void EventRunner::check_endless_repetition(std::size_t k) {
  for (const int row : instant_.pressed) {
    if (state_.is_active(row)) continue;
    const std::string& name = state_.full().constraint_name(row);
    instant_.stop(Outcome::step_limit, "impacts accumulate, the next rebound of \"" + name +
                                           "\" is below the tolerances; use unilateral_contact(\"" + name +
                                           "\", e), which lets it rest");
  }
  if (instant_.changed && chatters(k)) {
    instant_.stop(Outcome::step_limit, "changed the state " + std::to_string(contact_threshold.chatter) +
                                           " times within " + text(window_) +
                                           " s; the handler leads back to the root: check the crossing");
  }
}

bool EventRunner::chatters(std::size_t k) {
  std::deque<double>& times = roots_[k].change_times;
  times.push_back(state_.t());
  if (times.size() < contact_threshold.chatter) return false;
  const double span = times.back() - times.front();
  times.pop_front();
  return span <= window_;
}

/// Makes the state consistent after the handlers of an instant, which may close further contacts.
EventRunner::Verdict EventRunner::finish_instant(std::size_t first_record) {
  double moved = 0.0;
  const std::size_t most_rounds = 10 + 4 * contacts_.rows.size();
  for (std::size_t round = 0; instant_.changed && !instant_.failed(); ++round) {
    settle(moved);
    if (records_.size() > first_record) records_.back().kinetic_energy_after = state_.kinetic_energy();
    if (instant_.stopped) break;
    const std::vector<std::size_t> list = due();
    if (list.empty()) break;
    if (round == most_rounds) {
      instant_.stop(Outcome::step_limit, at(options_.events[list.front()], state_.t()) +
                                             ": contacts and limits switch each other without end; they act together "
                                             "there, which handlers one after the other cannot resolve");
      break;
    }
    for (const std::size_t k : list) call(k);
  }
  std::vector<std::string> active;
  for (const int row : state_.active_rows()) active.push_back(state_.full().constraint_name(row));
  for (std::size_t k = first_record; k < records_.size(); ++k) {
    records_[k].velocity_violation_after = state_.largest_active_rate();
    records_[k].moved_positions = moved;
    records_[k].active_constraints = active;
  }
  if (state_.full().energy_known() && records_.size() > first_record)
    total_work_ = instant_.work + (std::isnan(total_work_) ? 0.0 : total_work_);
  if (instant_.changed) {
    for (std::size_t k = 0; k < options_.events.size(); ++k) {
      roots_[k].held = instant_.fired[k];
      roots_[k].passed = 0;
    }
  }
  return instant_.stopped ? Verdict::stop : instant_.changed ? Verdict::restart : Verdict::go_on;
}

/// Finds velocities, positions, accelerations and multipliers that satisfy the active constraints.
void EventRunner::settle(double& moved) {
  const double energy = state_.energy();
  if (!project_velocities(state_, instant_)) return;
  if (state_.full().energy_known()) instant_.work += state_.energy() - energy;
  ConsistencyOptions consistency;
  consistency.start = options_.start;
  consistency.linear_solver = options_.linear_solver;
  consistency.typical_position = contacts_.typical_position;
  const ConsistentState settled = consistent_state(state_.active(), {state_.t(), state_.q(), state_.v()}, consistency);
  if (!can_start_from(settled.report, options_.start))
    return instant_.stop(settled.report.status.outcome, settled.report.status.message);
  if (instant_.input_set && positions_jump(settled.report, state_.q()))
    return instant_.stop(Outcome::infeasible,
                         "an input that an event has set at t = " + text(state_.t()) + " moves positions, most \"" +
                             settled.report.most_moved + "\" by " + text(settled.report.moved_positions) +
                             "; positions cannot jump: prescribe their rate (PrescribedRate), or follow a law of time");
  moved = std::max(moved, settled.report.moved_positions);
  set_state(settled.state);
  instant_.settled = true;
}

}  // namespace sunlagrange::internal
