// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/events/events.hpp>

#include "events/instant.hpp"
#include "model/checks/required_system.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

/// Violation with which a constraint may be switched on, relative to sum_j |G_ij| s_j natural_size(q). Held by
/// contacts_test.
constexpr double largest_misfit = 1e-4;

/// Pulling impulse above which a contact opens, relative to the largest impulse. Held by contacts_test.
constexpr double noticeable_impulse = 1e-9;

std::string quoted(const std::string& name) {
  return "\"" + name + "\"";
}

void require_mechanical(const EventState& state, const char* what) {
  require_forces(state.full(), what,
                 "has neither impulses nor rows to switch; record the event or stop, and start another program from "
                 "there");
}

/// Returns the rows of contacts that took part in the jump and would have to pull.
std::vector<int> pulling_contacts(const EventState& state, const Instant& instant, const VelocityJump& jump,
                                  const MechanicalSystem& taking_part) {
  std::vector<int> pulling;
  const double largest = jump.impulses.lpNorm<Eigen::Infinity>();
  for (const int row : instant.contacts->rows) {
    if (!state.is_active(row)) continue;
    const int own = taking_part.constraint_rows(state.full().constraint_name(row)).front();
    if (jump.impulses[own] > noticeable_impulse * largest) pulling.push_back(row);
  }
  return pulling;
}

/// Applies the velocity jump at an inactive row. Active contacts that would have to pull are switched off, and the jump
/// is repeated.
void collide(EventState& state, Instant& instant, int row, double restitution) {
  const std::string& name = state.full().constraint_name(row);
  for (;;) {
    const auto system = state.active_and(row);
    const VelocityJump jump =
        velocity_jump(system, {state.t(), state.q(), state.v()}, {name}, restitution, instant.contacts->jump);
    if (!jump.status.finished()) return instant.stop(jump.status.outcome, jump.status.message);
    const std::vector<int> pulling = pulling_contacts(state, instant, jump, *system);
    if (pulling.empty()) {
      if (!jump.status.message.empty()) instant.add("(" + jump.status.message + ")");
      state.set_velocity(jump.v);
      return;
    }
    for (const int open : pulling) instant.add("opened " + quoted(state.full().constraint_name(open)));
    state.set_active(pulling, false);
  }
}

/// Returns true if the gap is closed and would open too little, or for too short a time, to be resolved.
bool rests(EventState& state, const Instant& instant, int row) {
  const double rate = state.rate(row);
  const double acceleration = state.acceleration(row);
  const double noise = state.acceleration_noise(row);
  if (acceleration > noise) return false;
  if (rate <= state.rate_noise(row)) return true;
  if (acceleration >= -noise) return false;
  const double height = 0.5 * rate * rate / -acceleration;
  return height <= instant.contacts->gap_tolerance(state, row) || 2.0 * rate / -acceleration <= instant.contacts->step;
}

}  // namespace

bool internal::project_velocities(EventState& state, Instant& instant) {
  if (state.active()->num_constraints() == 0) return true;
  const VelocityJump jump = velocity_jump(state.active(), {state.t(), state.q(), state.v()}, std::vector<std::string>(),
                                          0.0, instant.contacts->jump);
  if (!jump.status.finished()) {
    instant.stop(jump.status.outcome, jump.status.message);
    return false;
  }
  state.set_velocity(jump.v);
  return true;
}

double EventPoint::t() const {
  return state_->t();
}
const Eigen::VectorXd& EventPoint::q() const {
  return state_->q();
}
const Eigen::VectorXd& EventPoint::v() const {
  return state_->v();
}

double EventPoint::input(const std::string& name) const {
  return state_->input(name);
}

bool EventPoint::active(const std::string& constraint) const {
  for (const int row : state_->rows_of(constraint)) {
    if (!state_->is_active(row)) return false;
  }
  return true;
}

double EventPoint::gap(const std::string& constraint) const {
  return state_->gap(state_->row_of(constraint));
}
double EventPoint::rate(const std::string& constraint) const {
  return state_->rate(state_->row_of(constraint));
}
double EventPoint::multiplier(const std::string& constraint) const {
  return state_->multiplier(state_->row_of(constraint));
}
double EventPoint::typical_multiplier(const std::string& constraint) const {
  return state_->typical_multiplier(state_->row_of(constraint));
}

double EventPoint::multiplier_norm(const std::string& constraint) const {
  double sum = 0.0;
  for (const int row : state_->rows_of(constraint)) sum += state_->multiplier(row) * state_->multiplier(row);
  return std::sqrt(sum);
}

Impact EventContext::impact(const std::string& constraint, double restitution) {
  EventState& s = *state_;
  require_mechanical(s, "impact");
  const int row = s.row_of(constraint);
  if (s.is_active(row)) throw Error("impact: " + quoted(constraint) + " is switched on, there is no gap to close");
  Impact result;
  const double energy = s.kinetic_energy();
  result.rate_before = s.rate(row);
  if (result.rate_before < -s.rate_noise(row)) {
    collide(s, *instant_, row, restitution);
    instant_->changed = true;
    instant_->add("impact, rate " + text(result.rate_before) + " -> " + text(s.rate(row)));
  }
  result.rate_after = s.rate(row);
  result.loss = energy - s.kinetic_energy();
  result.comes_to_rest = rests(s, *instant_, row);
  if (result.comes_to_rest && s.acceleration(row) < -s.acceleration_noise(row)) instant_->pressed.push_back(row);
  return result;
}

void EventContext::activate(const std::string& constraint) {
  EventState& s = *state_;
  if (active(constraint)) return;
  require_mechanical(s, "activate");
  const std::vector<int>& rows = s.rows_of(constraint);
  for (const int row : rows) {
    if (s.is_active(row) || row >= s.full().num_position_constraints()) continue;
    const Contacts& contacts = *instant_->contacts;
    const double size = std::max({contacts.typical_position, contacts.way_ahead, s.size()});
    const double scale = s.gradient_sum(row) * (size > 0.0 ? size : 1.0);
    if (std::abs(s.gap(row)) > largest_misfit * scale) {
      instant_->stop(Outcome::infeasible, quoted(s.full().constraint_name(row)) + " cannot be switched on at t = " +
                                              text(s.t()) + ": g = " + text(s.gap(row)) +
                                              ", must be zero there; switch it on where the motion passes g = 0");
      return;
    }
  }
  s.set_active(rows, true);
  instant_->changed = true;
  instant_->add("switched on " + quoted(constraint));
  project_velocities(s, *instant_);  // handlers after this one see them: a rest of the rebound would have to pull
}

void EventContext::deactivate(const std::string& constraint) {
  EventState& s = *state_;
  require_mechanical(s, "deactivate");
  const std::vector<int>& rows = s.rows_of(constraint);
  bool any = false;
  for (const int row : rows) any = any || s.is_active(row);
  if (!any) return;
  s.set_active(rows, false);
  instant_->changed = true;
  instant_->add("switched off " + quoted(constraint));
}

void EventContext::set_velocity(const Eigen::VectorXd& v) {
  if (v.size() != state_->v().size() || !v.allFinite()) {
    throw Error("set_velocity: v must have " + std::to_string(state_->v().size()) + " finite entries");
  }
  if (v == state_->v()) return;
  require_mechanical(*state_, "set_velocity");
  state_->set_velocity(v);
  instant_->changed = true;
  instant_->add("velocities set");
}

void EventContext::set_input(const std::string& name, double value) {
  if (!std::isfinite(value)) throw Error("set_input: " + quoted(name) + " = " + text(value) + ": must be finite");
  double& now = state_->input(name);
  if (now == value) return;
  now = value;
  state_->forget();
  instant_->input_set = instant_->changed = true;
  instant_->add(quoted(name) + " = " + text(value));
}

void EventContext::restart() {
  instant_->changed = true;
}

void EventContext::stop(const std::string& reason) {
  instant_->add("stop");
  instant_->stop(Outcome::finished, reason);
}

}  // namespace sunlagrange
