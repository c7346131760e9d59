// SPDX-License-Identifier: BSD-3-Clause
#include "events/runner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include <sunlagrange/base/bisection.hpp>

#include "base/numerics.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by events_test, contacts_test and stepped_over_test.
struct RootThresholds {
  std::size_t chatter = 50;           ///< changes by one event within EventRunner::window_ that never end
  double same_zero = 1e-12;           ///< a root within this part of its largest value is still at the same zero
  double dip = 10.0;                  ///< tolerances of a gap, or rtol of its largest value: smaller dips do not count
  double dip_of_gap = 0.1;            ///< the same of a gap that the model states, in tolerances of positions
  int cuts = 12;                      ///< of half a step by which the bottom of a dip is found, down to 1/700 of it
  double max_failed_searches = 10.0;  ///< repeated steps without a root: the root is noise
  double decay_steps = 100.0;         ///< steps after which one failed search is forgotten
  double closed = 1e-3;               ///< tolerances: gap of a contact that counts as closed at a new state
  double missed = 10.0;               ///< tolerances: penetration of a contact whose event was missed
  int changes = 4;                    ///< of the sign of a root between two samples of a step: more are noise
};
constexpr RootThresholds root_threshold;

/// Displacement, relative to the size of the mechanism, above which an input has moved positions. Held by stepper_test.
struct JumpThresholds {
  double displacement = 1e-4;
  double tolerances = 100.0;  ///< in rtol, if that is more: the violation of the run so far is corrected, too
};
constexpr JumpThresholds jump_threshold;

/// Returns true if the event may change the motion.
bool acts(const Event& event) {
  return event.action || !event.contact.empty();
}

std::string at(const Event& event, double t) {
  return "event \"" + event.name + "\" at t = " + text(t);
}

}  // namespace

bool can_start_from(const ConsistencyReport& report, Start start) {
  return report.accelerations_known ||
         (start == Start::as_given && report.feasible && report.status.outcome == Outcome::rank_loss);
}

double EventRunner::value_of(std::size_t k) {
  const Event& event = options_.events[k];
  double value = NAN;
  try {
    value = root(event);
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw std::runtime_error(at(event, state_.t()) + ": " + error.what());
  }
  if (!std::isfinite(value)) throw Error(at(event, state_.t()) + ": the root function is not finite");
  roots_[k].largest = std::max(roots_[k].largest, std::abs(value));
  return value;
}

/// Returns the |root| up to which a root is still at the zero that it has passed last.
double EventRunner::near_zero(std::size_t k) const {
  return std::max(roots_[k].near, root_threshold.same_zero * roots_[k].largest);
}

/// Returns the sign of root k. At a zero that was passed it is the sign behind it, whatever rounding makes of the
/// value.
int EventRunner::sign_of(std::size_t k, double value) const {
  if (roots_[k].beyond && std::abs(value) <= near_zero(k)) return *roots_[k].beyond;
  return value > 0.0 ? 1 : value < 0.0 ? -1 : 0;
}

/// A root whose event has changed the state is disregarded from the restart until it leaves the neighbourhood of its
/// zero: so the integrator neither finds the same zero again nor misses the next one because of a rounding error at the
/// start. If it is exactly zero behind the restart, it has the sign 0 there. A root whose event has changed nothing
/// keeps the sign behind its zero: it would be found twice where a point that is evaluated again lies on the other
/// side.
void EventRunner::evaluate(double t, const double* q, const double* v, double* values) {
  state_.move_to(t, q, v);
  for (std::size_t i = 0; i < searched_.size(); ++i) {
    const std::size_t k = searched_[i];
    RootState& root = roots_[k];
    values[i] = value_of(k);
    if (std::abs(values[i]) > near_zero(k)) {
      root.held = false;
      root.beyond.reset();
    }
    if (root.held && values[i] == 0.0 && t > restart_.t) {
      root.held = false;
      root.beyond = 0;
    }
    if (root.held)
      values[i] = NAN;
    else if (root.beyond)
      values[i] = *root.beyond * std::max(std::abs(values[i]), std::numeric_limits<double>::min());
  }
}

RootFunctions EventRunner::roots(Searched searched) {
  searched_.clear();
  recorded_.clear();
  RootFunctions roots;
  for (std::size_t k = 0; k < options_.events.size(); ++k) {
    const Event& event = options_.events[k];
    (acts(event) || searched == Searched::all ? searched_ : recorded_).push_back(k);
    if (searched_.empty() || searched_.back() != k) continue;
    roots.directions.push_back(crossing_direction(event));
  }
  if (searched_.empty()) return roots;
  roots.evaluate = [this](double t, const double* q, const double* v, double* values) { evaluate(t, q, v, values); };
  return roots;
}

/// Evaluates all roots as evaluate() does, at a state that may never be accepted: nothing is remembered.
void EventRunner::evaluate_roots(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                 std::vector<double>& values) {
  state_.move_to(t, q.data(), v.data());
  values.resize(options_.events.size());
  for (const std::size_t k : searched_) values[k] = roots_[k].held ? 0.0 : root(options_.events[k]);
  if (roots_.size() == values.size()) return;
  add_gaps(t, q, v, values);
  if (values.size() != roots_.size())
    throw Error("not_smooth: the model states another number of gaps than at the start, at t = " + text(t));
}

void EventRunner::evaluate_roots(const QuinticHermite& path, double part, std::vector<double>& values) {
  const double t = path.time(part);
  path.position(t, q_);
  path.velocity(t, v_);
  evaluate_roots(t, q_, v_, values);
}

/// Returns the depth below which a dip of root k does not count, at the state that was evaluated last.
double EventRunner::significant_depth(std::size_t k) {
  if (!is_event(k)) {
    return root_threshold.dip_of_gap *
           (contacts_.tolerances.atol +
            contacts_.tolerances.rtol * std::max(contacts_.typical_position, state_.size()));
  }
  if (!options_.events[k].times.empty()) return 0.0;  // it is exact
  const std::string& contact = options_.events[k].contact;
  const int row = contact.empty() ? -1 : state_.row_of(contact);
  const bool is_gap = row >= 0 && !state_.is_active(row);
  return root_threshold.dip *
         (is_gap ? contacts_.gap_tolerance(state_, row) : contacts_.tolerances.rtol * roots_[k].largest);
}

/// Returns the part of the step at which root k, of one sign at both ends, has the other sign.
std::optional<double> EventRunner::find_dip(std::size_t k, const QuinticHermite& path, const ThreeValues& values) {
  const double side = std::copysign(1.0, values.end);
  const double a = side * values.begin, m = side * values.middle, b = side * values.end;
  if (!is_event(k) && a * b < 0.0) roots_[k].failed_searches = 0.0;  // the step ends beyond the zero
  if (!(std::min(a, b) > 0.0) || roots_[k].failed_searches > root_threshold.max_failed_searches - 1.0)
    return std::nullopt;
  const auto root_inside = [&](double part) { return side * root_on(path, path.time(part), k); };
  const auto counts = [&](double part) {
    const double value = root_inside(part), least = significant_depth(k);
    return value < -least && a > least;
  };
  const double curvature = 2.0 * (a + b - 2.0 * m), slope = 4.0 * m - 3.0 * a - b;
  const double turn = -0.5 * slope / curvature;
  const bool turns = curvature > 0.0 && turn > 0.0 && turn < 1.0;
  if (turns && a + 0.5 * slope * turn < 0.5 * std::min(a, b)) {
    const auto found =
        golden_section(std::max(0.0, turn - 0.25), std::min(1.0, turn + 0.25), root_inside,
                       [](const GoldenSection<double>& section) { return section.cuts < root_threshold.cuts; });
    const double deepest = found.left < found.right ? found.x_left : found.x_right;
    if (counts(deepest)) return deepest;
  }
  if (m <= 0.0 && counts(0.5)) return 0.5;
  return std::nullopt;
}

double EventRunner::root_on(const QuinticHermite& path, double t, std::size_t k) {
  path.position(t, q_);
  path.velocity(t, v_);
  if (!is_event(k)) {
    evaluate_roots(t, q_, v_, inside_);
    return inside_[k];
  }
  state_.move_to(t, q_.data(), v_.data());
  return root(options_.events[k]);
}

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
    for (int count = 0; sign != there && count < root_threshold.changes; ++count) {
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
    const std::optional<double> dip = find_dip(k, path, {at_begin, at_middle, at_end});
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

std::optional<double> EventRunner::hidden_root(const StepEnd& begin, const StepEnd& end) {
  if ((searched_.empty() && roots_.size() == options_.events.size()) || !(end.t > begin.t)) return std::nullopt;
  const QuinticHermite path(begin, end);
  try {
    at_begin_.swap(at_end_);
    if (t_at_end_ != begin.t) evaluate_roots(begin.t, begin.q, begin.v, at_begin_);
    evaluate_roots(end.t, end.q, end.v, at_end_);
    t_at_end_ = end.t;
    evaluate_roots(path, 0.5, middle_);
    std::optional<double> first;
    std::size_t which = 0;
    for (RootState& state : roots_)
      state.failed_searches = std::max(0.0, state.failed_searches - 1.0 / root_threshold.decay_steps);
    const auto search = [&](std::size_t k) {
      const std::optional<double> part = find_dip(k, path, {at_begin_[k], middle_[k], at_end_[k]});
      if (!part || (first && *part >= *first)) return;
      first = part;
      which = k;
    };
    for (const std::size_t k : searched_) search(k);
    for (std::size_t gap = options_.events.size(); gap < roots_.size(); ++gap) search(gap);
    if (!first) return std::nullopt;
    roots_[which].failed_searches += 1.0;
    t_at_end_ = NAN;  // the step is repeated
    return suspected_root_ = path.time(*first);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // the state was never accepted; the same exception at an accepted one ends the run
    t_at_end_ = NAN;
    return std::nullopt;
  }
}

bool EventRunner::may_hide_roots() const {
  const auto has_root = [](const Event& event) { return event.times.empty() && acts(event); };
  return has_friction_ || roots_.size() > options_.events.size() ||
         std::any_of(options_.events.begin(), options_.events.end(), has_root);
}

double EventRunner::next_stop(double t, double t_stop) const {
  const double shortest = shortest_interval(t);
  double stop = suspected_root_ - t > shortest ? std::min(t_stop, suspected_root_) : t_stop;
  const auto stop_at_next_of = [&](const std::vector<double>& times) {
    const auto next = std::upper_bound(times.begin(), times.end(), t + shortest);
    if (next != times.end() && stop - *next > shortest) stop = *next;
  };
  stop_at_next_of(corners_);
  for (const std::size_t k : searched_) stop_at_next_of(options_.events[k].times);
  return stop;
}

bool EventRunner::positions_jump(const ConsistencyReport& report, const Eigen::VectorXd& q) const {
  const double size = std::max(restart_.typical_position, natural_size(state_.full(), q));
  const double most = std::max(jump_threshold.displacement, jump_threshold.tolerances * contacts_.tolerances.rtol);
  return natural_size(state_.full(), report.position_moves) > most * (size > 0.0 ? size : 1.0);
}

/// Returns true if a contact closes, or a limit is exceeded, at a state that no step has led to.
bool EventRunner::is_due(const Event& event) {
  const int row = event.contact.empty() ? -1 : state_.row_of(event.contact);
  if (row >= 0 && !state_.is_active(row)) {
    if (state_.gap(row) > root_threshold.closed * contacts_.gap_tolerance(state_, row)) return false;
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
  for (const std::size_t k : due()) call(k);
  return finish_instant(0);
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

EventRunner::Verdict EventRunner::jump(const MotionState& state) {
  restart_from(state);
  begin_instant();
  const std::size_t first_record = records_.size();
  for (const std::size_t k : due()) {
    if (!roots_[k].beyond || options_.events[k].action) call(k);
  }
  return finish_instant(first_record);
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
    if (state_.is_active(row) || state_.gap(row) >= -root_threshold.missed * contacts_.gap_tolerance(state_, row))
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
    instant_.stop(Outcome::step_limit, "changed the state " + std::to_string(root_threshold.chatter) +
                                           " times within " + text(window_) +
                                           " s; the handler leads back to the root: check the crossing");
  }
}

bool EventRunner::chatters(std::size_t k) {
  std::deque<double>& times = roots_[k].change_times;
  times.push_back(state_.t());
  if (times.size() < root_threshold.chatter) return false;
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
