#include "events/runner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

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
};
constexpr RootThresholds root_threshold;

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

/// A root whose event has changed the state is reported as exactly zero from the restart until it leaves the
/// neighbourhood of its zero. SUNDIALS disregards it until then: it neither finds the same zero again nor misses the
/// next one because of a rounding error at the start. A root whose event has changed nothing keeps the sign behind its
/// zero, whatever rounding makes of it: SUNDIALS gives up where a root stays zero, and finds it twice where a point
/// that is evaluated again lies on the other side.
void EventRunner::evaluate(double t, const double* q, const double* v, double* values) {
  state_.move_to(t, q, v);
  for (std::size_t k = 0; k < options_.events.size(); ++k) {
    values[k] = value_of(k);
    const double size = std::abs(values[k]);
    roots_[k].held = roots_[k].held && size <= root_threshold.same_zero * roots_[k].largest;
    if (size > std::max(roots_[k].near, root_threshold.same_zero * roots_[k].largest)) roots_[k].beyond = 0;
    if (roots_[k].held) values[k] = 0.0;
    if (roots_[k].beyond != 0)
      values[k] = roots_[k].beyond * std::max(std::abs(values[k]), std::numeric_limits<double>::min());
  }
}

RootFunctions EventRunner::roots() {
  RootFunctions roots;
  for (const Event& event : options_.events) roots.directions.push_back(crossing_direction(event));
  roots.evaluate = [this](double t, const double* q, const double* v, double* values) { evaluate(t, q, v, values); };
  return roots;
}

/// Evaluates all roots as evaluate() does, at a state that may never be accepted: nothing is remembered.
void EventRunner::evaluate_roots(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                 std::vector<double>& values) {
  state_.move_to(t, q.data(), v.data());
  values.resize(options_.events.size());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = roots_[k].held ? 0.0 : root(options_.events[k]);
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
  const std::string& contact = options_.events[k].contact;
  const int row = contact.empty() ? -1 : state_.row_of(contact);
  const bool is_gap = row >= 0 && !state_.is_active(row);
  return root_threshold.dip *
         (is_gap ? contacts_.gap_tolerance(state_, row) : contacts_.tolerances.rtol * roots_[k].largest);
}

/// Returns the part of the step at which root k, of one sign at both ends, has the other sign.
std::optional<double> EventRunner::find_dip(std::size_t k, const QuinticHermite& path) {
  const double side = std::copysign(1.0, at_end_[k]);
  const double a = side * at_begin_[k], m = side * middle_[k], b = side * at_end_[k];
  if (!is_event(k) && a * b < 0.0) roots_[k].failed_searches = 0.0;  // the step ends beyond the zero
  if (!(std::min(a, b) > 0.0) || roots_[k].failed_searches > root_threshold.max_failed_searches - 1.0)
    return std::nullopt;
  const auto root_inside = [&](double part) {
    evaluate_roots(path, part, inside_);
    return side * inside_[k];
  };
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

std::optional<double> EventRunner::hidden_root(const StepEnd& begin, const StepEnd& end) {
  if (roots_.empty() || !(end.t > begin.t)) return std::nullopt;
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
    for (std::size_t k = 0; k < middle_.size(); ++k) {
      const std::optional<double> part = find_dip(k, path);
      if (!part || (first && *part >= *first)) continue;
      first = part;
      which = k;
    }
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

double EventRunner::next_stop(double t, double t_stop) const {
  const double shortest = shortest_interval(t);
  const auto corner = std::upper_bound(corners_.begin(), corners_.end(), t + shortest);
  if (corner != corners_.end() && t_stop - *corner > shortest) t_stop = *corner;
  return suspected_root_ - t > shortest ? std::min(t_stop, suspected_root_) : t_stop;
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
  for (RootState& root : roots_) {
    root.beyond = 0;
    root.near = 0.0;
  }
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
    if (roots_[k].beyond != 0 && !rebounds_may_be_small)
      roots_[k].near = std::max(significant_depth(k), 2.0 * std::abs(value_of(k)));  // the start corrects violations
  }
}

EventRunner::Verdict EventRunner::jump(const MotionState& state) {
  restart_from(state);
  begin_instant();
  const std::size_t first_record = records_.size();
  for (const std::size_t k : due()) {
    if (roots_[k].beyond == 0 || options_.events[k].action) call(k);
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

EventRunner::Verdict EventRunner::handle(const std::vector<int>& found, double t, const double* q, const double* v) {
  begin_instant();
  t_at_end_ = NAN;
  for (std::size_t k = 0; k < found.size(); ++k) roots_[k].passed = found[k];
  last_step_ = {t, Eigen::Map<const Eigen::VectorXd>(q, q_.size()), Eigen::Map<const Eigen::VectorXd>(v, v_.size())};
  state_.move_to(t, q, v);
  instant_.drift = state_.largest_active_rate();
  const std::size_t first_record = records_.size();
  bool projected = false;
  for (std::size_t k = 0; k < found.size() && !instant_.stopped; ++k) {
    if (found[k] == 0) continue;
    roots_[k].failed_searches = 0.0;
    roots_[k].beyond = found[k];
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
  moved = std::max(moved, settled.report.moved_positions);
  set_state(settled.state);
  instant_.settled = true;
}

}  // namespace sunlagrange::internal
