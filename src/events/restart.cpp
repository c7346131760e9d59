// SPDX-License-Identifier: BSD-3-Clause
#include "events/runner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/natural_scales.hpp"

namespace sunlagrange::internal {
namespace {

/// Displacement, relative to the size of the mechanism, above which an input has moved positions. Held by stepper_test.
struct JumpThresholds {
  double displacement = 1e-4;
  double tolerances = 100.0;  ///< in rtol, if that is more: the violation of the run so far is corrected, too
};
constexpr JumpThresholds jump_threshold;

}  // namespace

bool EventRunner::positions_jump(const ConsistencyReport& report, const Eigen::VectorXd& q) const {
  const double size = std::max(restart_.typical_position, natural_size(state_.full(), q));
  const double most = std::max(jump_threshold.displacement, jump_threshold.tolerances * contacts_.tolerances.rtol);
  return natural_size(state_.full(), report.position_moves) > most * (size > 0.0 ? size : 1.0);
}

/// Sets the state from which the run goes on, and forgets the zeros before it.
void EventRunner::set_state(const MotionState& state) {
  restart_ = state;
  contacts_.typical_position = std::max(contacts_.typical_position, natural_size(state_.full(), state.q));
  restart_.typical_position = contacts_.typical_position;
  state_.move_to(state.t, state.q.data(), state.v.data());
  t_at_end_ = NAN;
  for (std::size_t k = 0; k < roots_.size(); ++k) {
    roots_[k].beyond.reset();
    roots_[k].near = 0.0;
    roots_[k].became_zero = NAN;
    roots_[k].sign.reset();
    if (state.t - roots_[k].recorded <= window_) stay_beyond(k, roots_[k].sign_recorded);
  }
}

/// Keeps the sign of root k, whose event was found just before another state was set, if that has not moved the root.
void EventRunner::stay_beyond(std::size_t k, int sign) {
  const double size = std::abs(value_of(k)), depth = significant_depth(k);
  if (size > depth) return;
  roots_[k].beyond = sign;
  roots_[k].near = std::max(depth, 2.0 * size);
}

void EventRunner::restart_from(const MotionState& state) {
  set_state(state);
  if (last_step_.t != state.t) return;
  state_.move_to(state.t, last_step_.q.data(), last_step_.v.data());
  for (std::size_t k = 0; k < options_.events.size(); ++k) {  // the change of state has not moved the root itself
    if (roots_[k].passed != 0 && std::abs(value_of(k)) <= significant_depth(k)) roots_[k].beyond = roots_[k].passed;
  }
  state_.move_to(state.t, state.q.data(), state.v.data());
  for (std::size_t k = 0; k < options_.events.size(); ++k) {
    const bool rebounds_may_be_small = !options_.events[k].contact.empty();
    if (roots_[k].beyond && !rebounds_may_be_small)
      roots_[k].near = std::max(significant_depth(k), 2.0 * std::abs(value_of(k)));  // the start corrects violations
  }
}

std::vector<bool> EventRunner::active() const {
  std::vector<bool> active;
  for (int row = 0; row < state_.full().num_constraints(); ++row) active.push_back(state_.is_active(row));
  return active;
}

std::vector<EventMemory> EventRunner::memory(double t) const {
  std::vector<EventMemory> memory;
  for (std::size_t k = 0; k < options_.events.size(); ++k)
    memory.push_back(
        {options_.events[k].name, roots_[k].largest, roots_[k].held, last_step_.t == t ? roots_[k].passed : 0});
  return memory;
}

void EventRunner::resume(const InitialState& at, const std::vector<bool>& active,
                         const std::vector<EventMemory>& memory, const Report& report, double typical_position) {
  std::vector<int> on, off;
  for (std::size_t row = 0; row < active.size(); ++row) (active[row] ? on : off).push_back(static_cast<int>(row));
  state_.set_active(on, true);
  state_.set_active(off, false);
  for (std::size_t k = 0; k < memory.size(); ++k) {
    roots_[k].largest = memory[k].largest;
    roots_[k].held = memory[k].held;
    roots_[k].passed = memory[k].passed;
  }
  last_step_ = at;
  if (at.v.size() == 0) last_step_.v.setZero(at.q.size());
  records_ = report.events;
  total_work_ = report.event_work;
  const std::vector<std::string>& read = report.undetermined_event_forces;
  for (int row = 0; row < state_.full().num_constraints() && !read.empty(); ++row) {
    if (std::find(read.begin(), read.end(), state_.full().constraint_name(row)) != read.end())
      state_.add_undetermined_row(row);
  }
  contacts_.typical_position = typical_position;
  begin_instant();
}

/// Remembers the end of a step at which a root is zero.
void EventRunner::ends_at_zero(InitialState end) {
  if (last_step_.t != end.t) {
    for (RootState& root : roots_) root.passed = 0;
  }
  last_step_ = std::move(end);
}

}  // namespace sunlagrange::internal
