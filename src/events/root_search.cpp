// SPDX-License-Identifier: BSD-3-Clause
#include "events/runner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

#include <sunlagrange/base/bisection.hpp>

#include "base/numerics.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by events_test and stepped_over_test.
struct RootThresholds {
  double same_zero = 1e-12;           ///< a root within this part of its largest value is still at the same zero
  double dip = 10.0;                  ///< tolerances of a gap, or rtol of its largest value: smaller dips do not count
  double dip_of_gap = 0.1;            ///< the same of a gap that the model states, in tolerances of positions
  int cuts = 12;                      ///< of half a step by which the bottom of a dip is found, down to 1/700 of it
  double max_failed_searches = 10.0;  ///< repeated steps without a root: the root is noise
  double decay_steps = 100.0;         ///< steps after which one failed search is forgotten
};
constexpr RootThresholds root_threshold;

}  // namespace

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

/// Returns the part of the step at which root k, of one sign at both ends, has the other sign; with `entries` also the
/// part at which a gap that is open at the begin of the step and closed at its end closes.
std::optional<double> EventRunner::find_dip(std::size_t k, const QuinticHermite& path, const ThreeValues& values,
                                            bool entries) {
  const double side = std::copysign(1.0, values.end);
  const double a = side * values.begin, m = side * values.middle, b = side * values.end;
  const bool may_search = roots_[k].failed_searches <= root_threshold.max_failed_searches - 1.0;
  const double least_gap = is_event(k) ? NAN : significant_depth(k);
  if (entries && may_search && values.begin > least_gap && values.end < -least_gap)
    return bisect([&](double part) { return root_on(path, path.time(part), k) > 0.0; }, {0.0, 1.0}, 0.0).out;
  if (!is_event(k) && (a * b < 0.0 || values.end < -least_gap)) roots_[k].failed_searches = 0.0;  // a true zero
  if (!(std::min(a, b) > 0.0) || !may_search) return std::nullopt;
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

std::optional<double> EventRunner::hidden_root(const StepEnd& begin, const StepEnd& end, bool entries) {
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
      const std::optional<double> part = find_dip(k, path, {at_begin_[k], middle_[k], at_end_[k]}, entries);
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

}  // namespace sunlagrange::internal
