// SPDX-License-Identifier: BSD-3-Clause
#include "events/runner.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include <sunlagrange/base/bisection.hpp>

#include "base/numerics.hpp"

namespace sunlagrange::internal {
namespace {

/// Changes of the sign of a root between two samples of a step: more are noise. Held by events_test.
constexpr int most_changes = 4;

}  // namespace

/// A root that is exactly zero for less than window_ is zero at a point: it has changed its sign once.
bool EventRunner::only_leaves_a_point(std::size_t k, double t, int sign) {
  double& became_zero = roots_[k].became_zero;
  const bool at_a_point = sign != 0 && t - became_zero <= window_;
  became_zero = sign == 0 ? t : NAN;
  return at_a_point;
}

/// Adds the changes of the sign of root k within a step.
void EventRunner::find_changes(std::size_t k, const QuinticHermite& path, const StepEnd& begin, const StepEnd& end,
                               std::vector<Change>& changes) {
  RootState& r = roots_[k];
  if (const std::vector<double>& times = options_.events[k].times; !times.empty()) {
    for (const double t : times) {
      if (t > begin.t && t <= end.t) changes.push_back({t, k, 1, -1});
    }
    return;
  }
  const double at_begin = [&] {
    if (r.sign && *r.sign == 0) return 0.0;
    state_.move_to(begin.t, begin.q.data(), begin.v.data());
    return value_of(k);
  }();
  state_.move_to(end.t, end.q.data(), end.v.data());
  const double at_end = value_of(k);
  const int sign_at_end = sign_of(k, at_end);
  int sign = r.sign ? *r.sign : sign_of(k, at_begin);
  double t = begin.t;
  const std::size_t before = changes.size();
  const auto change_until = [&](double next, int there) {
    for (int count = 0; sign != there && count < most_changes; ++count) {
      int now = there;  // behind the change: a value that is computed anew may differ by rounding
      const auto same = [&](double s) {
        const int sign_there = sign_of(k, root_on(path, s, k));
        if (sign_there != sign) now = sign_there;
        return sign_there == sign;
      };
      const double changed = bisect(same, {t, next}, 0.0).out;
      if (changes.size() > before && changed - changes.back().t <= window_) {  // one zero, seen with rounding
        changes.back().to = now;
        if (changes.back().from == now) changes.pop_back();
      } else {
        changes.push_back({changed, k, sign, now});
      }
      t = changed;
      sign = now;
    }
    t = next;
    sign = there;
  };
  try {
    constexpr double soon = 0.01;  // part of the step: a root that is zero at the start has the sign that follows
    if (!r.sign && sign == 0) sign = sign_of(k, root_on(path, t = path.time(soon), k));
    const double at_middle = root_on(path, path.time(0.5), k);
    const std::optional<double> dip = find_dip(k, path, {at_begin, at_middle, at_end}, false);
    const double inside = path.time(dip.value_or(0.5));
    change_until(inside, dip ? sign_of(k, root_on(path, inside, k)) : sign_of(k, at_middle));
    change_until(end.t, sign_at_end);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // the model declines a point of the polynomial, which is no state of the run
    changes.resize(before);
    if (r.sign.value_or(sign_at_end) != sign_at_end) changes.push_back({end.t, k, *r.sign, sign_at_end});
  }
  if (std::abs(at_end) > near_zero(k)) r.beyond.reset();
  r.sign = sign_at_end;
}

void EventRunner::record_on_path(const StepEnd& begin, const StepEnd& end, bool at_root) {
  at_root_.clear();
  if (recorded_.empty() || !(end.t > begin.t)) return;
  const QuinticHermite path(begin, end);
  std::vector<Change> changes;
  for (const std::size_t k : recorded_) find_changes(k, path, begin, end, changes);
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.t < b.t; });
  for (const Change& change : changes) {
    if (change.t == end.t) {
      ends_at_zero({end.t, end.q, end.v});
      roots_[change.event].passed = change.to;
    }
    if (!counts(change)) continue;
    if (at_root && end.t - change.t <= shortest_interval(end.t))
      at_root_.push_back(change);
    else
      record(change, path, end);
  }
}

/// Returns true if the change is an event, and remembers it.
bool EventRunner::counts(const Change& change) {
  const int direction = change.to > change.from ? 1 : -1;
  const bool known = only_leaves_a_point(change.event, change.t, change.to);
  RootState& r = roots_[change.event];
  r.beyond = change.to;
  r.recorded = change.t;
  r.sign_recorded = change.to;
  return !known && crossing_direction(options_.events[change.event]) != -direction;
}

void EventRunner::record(const Change& change, const QuinticHermite& path, const StepEnd& end) {
  begin_instant();
  if (change.t < end.t) {
    path.position(change.t, q_);
    path.velocity(change.t, v_);
    state_.move_to(change.t, q_.data(), v_.data());
  } else {
    state_.move_to(end.t, end.q.data(), end.v.data());
  }
  instant_.drift = state_.largest_active_rate();
  const std::size_t first_record = records_.size();
  call(change.event);
  finish_instant(first_record);
}

}  // namespace sunlagrange::internal
