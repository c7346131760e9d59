// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/sensitivity/event_sensitivities.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/base/setting.hpp>

#include "base/words.hpp"
#include "model/natural_scales.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct EventDifferences {
  /// Steps of the differences, relative to the parameter, to q or to v, whichever changes most. The second one is taken
  /// if other events happen within the first one.
  static constexpr double steps[] = {5e-4, 5e-6};
  /// Events that act at one instant may be separated, when a parameter changes by its size, by this share of the run.
  static constexpr double separation = 1e-6;
  /// Time behind the root at which the actions are differentiated, over the time scale of the motion.
  static constexpr double behind_root = 1e-10;
  /// Newton steps along the motion onto the root, from the point where it is zero to first order.
  static constexpr int root_corrections = 2;
};

/// Thrown where a derivative does not exist, with the reason.
struct NoDerivative {
  std::string why;
};

/// A node of a difference formula of fourth order for the first derivative.
struct Node {
  int steps;
  double weight;
};
const std::vector<Node> stencils[] = {
    {{-2, 1.0 / 12.0}, {-1, -8.0 / 12.0}, {1, 8.0 / 12.0}, {2, -1.0 / 12.0}},
    {{0, -25.0 / 12.0}, {1, 4.0}, {2, -3.0}, {3, 4.0 / 3.0}, {4, -0.25}},
    {{0, 25.0 / 12.0}, {-1, -4.0}, {-2, 3.0}, {-3, -4.0 / 3.0}, {-4, 0.25}},
};

std::string acting(const std::vector<std::string>& names) {
  return (names.empty() ? "nothing" : quoted(names)) + (names.size() > 1 ? " act" : " acts");
}

std::string event_at(const std::string& name, double t) {
  return "event \"" + name + "\" at t = " + text(t) + ": ";
}

std::vector<std::string> names_from(const EventRunner& runner, std::size_t first) {
  std::vector<std::string> names;
  for (std::size_t k = first; k < runner.records().size(); ++k) names.push_back(runner.records()[k].name);
  return names;
}

}  // namespace

/// State of the motion and of the events just before an instant.
struct EventSensitivities::Before {
  const MotionState& state;
  std::vector<bool> active;
  std::vector<EventMemory> memory;
  double size = 0.0;               // of the positions so far
  std::vector<std::size_t> fired;  // indices of events whose roots were found
};

struct EventSensitivities::Direction {
  double t;
  VectorXd q, v;
};

/// Roots of the events that fired, and their derivatives.
struct EventSensitivities::Roots {
  VectorXd value, rate;      // values, and derivatives along the motion
  double behind = 0.0;       // [s] short time behind the root, against rounding
  std::vector<bool> grazed;  // true if the root is crossed by less than the tolerances resolve
  MatrixXd shifts;           // dt/dp, one row for each event
};

EventSensitivities::EventSensitivities(std::shared_ptr<const MechanicalSystem> system, const InitialState& given,
                                       const SimulationOptions& options)
    : system_(std::move(system)),
      options_(options),
      span_(options.t_end - given.t),
      runner_(std::make_unique<EventRunner>(system_, event_options(options), given)) {}

/// Returns the events as before the instant, for a changed value of the parameter of a column.
std::unique_ptr<EventRunner> EventSensitivities::neighbour(const Before& before, const SensitivityColumn* column,
                                                           double change) const {
  EventOptions options = event_options(options_);
  std::shared_ptr<const MechanicalSystem> system = system_;
  if (column != nullptr && column->parameter != nullptr) {
    const SystemParameter& about = column->parameter->about();
    system = with_parameters(system_, {{about.name, about.value + change}});
  }
  if (column != nullptr && column->of_events != nullptr)
    options.events = column->of_events->events(column->of_events->value + change);
  const MotionState& at = before.state;
  const InitialState start{at.t, at.q, at.v};
  auto runner = std::make_unique<EventRunner>(system, std::move(options), start);
  if (!before.memory.empty()) runner->resume(start, before.active, before.memory, Report(), before.size);
  return runner;
}

/// Returns the consistent state next to the given one. Off the constraints, redundant rows would contradict each other.
MotionState EventSensitivities::consistent(const EventRunner& runner, const Before& before, double t, const VectorXd& q,
                                           const VectorXd& v) const {
  ConsistencyOptions consistency;
  consistency.start = options_.start;
  consistency.linear_solver = options_.linear_solver;
  consistency.typical_position = before.size;
  const ConsistentState found = consistent_state(runner.system(), {t, q, v}, consistency);
  if (!can_start_from(found.report, options_.start)) throw NoDerivative{found.report.status.message};
  return found.state;
}

/// Returns the derivative of value(events, consistent state) along a direction in which the parameter changes by one.
template <class Value>
VectorXd EventSensitivities::derivative(const Before& before, const SensitivityColumn& column, const Direction& along,
                                        Value&& value) const {
  const MotionState& at = before.state;
  const double q_size = std::max(natural_size(*system_, at.q), before.size);
  const double least = 1e-3 * std::max(std::sqrt(natural_size(*system_, at.a) * q_size), q_size / span_);
  const double v_size = std::max(natural_size(*system_, at.v), least);
  double fastest = 1.0 / column.size;
  if (q_size > 0.0) fastest = std::max(fastest, natural_size(*system_, along.q) / q_size);
  if (v_size > 0.0) fastest = std::max(fastest, natural_size(*system_, along.v) / v_size);
  std::string why;
  for (const double relative : EventDifferences::steps) {
    const double h = relative / fastest;
    for (const std::vector<Node>& stencil : stencils) {
      try {
        VectorXd sum;
        for (const Node& node : stencil) {
          const double change = node.steps * h;
          const std::unique_ptr<EventRunner> events = neighbour(before, &column, change);
          const VectorXd here = value(*events, consistent(*events, before, at.t + change * along.t,
                                                          at.q + change * along.q, at.v + change * along.v));
          sum = sum.size() == 0 ? VectorXd(node.weight * here) : VectorXd(sum + node.weight * here);
        }
        return sum / h;
      } catch (const NoDerivative& none) {
        why = none.why;
        break;
      } catch (const Error& error) {  // beyond the range of the parameter
        why = error.what();
      }
    }
  }
  throw NoDerivative{why};
}

/// Returns the possible error of a root value: the sum of its changes by the tolerances of q and v.
double EventSensitivities::root_error(EventRunner& runner, const Before& before, std::size_t event) const {
  MotionState at = before.state;
  const double here = runner.root_at(event, at);
  double sum = 0.0;
  const auto add = [&](VectorXd& x) {
    const double size = natural_size(*system_, x);
    for (Index j = 0; j < x.size(); ++j) {
      const double value = x[j];
      x[j] += system_->natural_scales()[j] * (options_.atol + options_.rtol * size);
      sum += std::abs(runner.root_at(event, at) - here);
      x[j] = value;
    }
  };
  add(at.q);
  add(at.v);
  return sum;
}

VectorXd EventSensitivities::values(EventRunner& runner, const Before& before, const MotionState& at) const {
  VectorXd list(static_cast<Index>(before.fired.size()));
  for (std::size_t i = 0; i < before.fired.size(); ++i)
    list[static_cast<Index>(i)] = runner.root_at(before.fired[i], at);
  return list;
}

/// Returns the roots of the events that fired, with derivatives along the motion and by the columns.
EventSensitivities::Roots EventSensitivities::roots(const Before& before, SensitivityColumns& columns,
                                                    const SensitivityPoint& point) const {
  const MotionState& s = before.state;
  const std::unique_ptr<EventRunner> events = neighbour(before, nullptr, 0.0);
  const double q_size = std::max(natural_size(*system_, s.q), before.size);
  const double fastest = natural_size(*system_, s.v) + std::sqrt(natural_size(*system_, s.a) * q_size);
  const double scale = fastest > 0.0 && q_size > 0.0 ? std::min(q_size / fastest, span_) : span_;
  const double h = EventDifferences::steps[0] * scale;
  VectorXd jerk = VectorXd::Zero(s.q.size());
  const auto along = [&](double dt) {
    return consistent(*events, before, s.t + dt, s.q + dt * (s.v + dt / 2.0 * (s.a + dt / 3.0 * jerk)),
                      s.v + dt * (s.a + dt / 2.0 * jerk));
  };
  jerk = (along(h).a - along(-h).a) / (2.0 * h);
  Roots roots;
  MatrixXd f(static_cast<Index>(before.fired.size()), 5);
  for (int k = -2; k <= 2; ++k) f.col(k + 2) = values(*events, before, k == 0 ? s : along(k * h));
  roots.value = f.col(2);
  roots.behind = EventDifferences::behind_root * scale;
  roots.rate = (f.col(0) - 8.0 * f.col(1) + 8.0 * f.col(3) - f.col(4)) / (12.0 * h);
  const VectorXd bend = (-f.col(0) + 16.0 * f.col(1) - 30.0 * f.col(2) + 16.0 * f.col(3) - f.col(4)) / (12.0 * h * h);
  roots.shifts.resize(f.rows(), columns.size());
  for (int c = 0; c < columns.size(); ++c)
    roots.shifts.col(c) =
        -derivative(before, columns.column(c), {0.0, point.q.col(c), point.v.col(c)},
                    [&](EventRunner& runner, const MotionState& at) { return values(runner, before, at); })
             .cwiseQuotient(roots.rate);
  for (Index i = 0; i < f.rows(); ++i) {
    const double depth = 0.5 * roots.rate[i] * roots.rate[i] / std::abs(bend[i]);  // largest value beyond the root
    // Rebounds that EventContext::impact() admits are deeper.
    const double least = 0.5 * root_error(*events, before, before.fired[static_cast<std::size_t>(i)]);
    roots.grazed.push_back(roots.rate[i] == 0.0 || depth <= least);
    if (roots.grazed.back()) roots.shifts.row(i).setConstant(NAN);
  }
  return roots;
}

/// Returns the events that fired and acted, according to their records. @param first  first record of the instant
std::vector<std::size_t> EventSensitivities::acted(const Before& before, std::size_t first) const {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < before.fired.size(); ++i) {
    for (std::size_t k = first; k < runner_->records().size(); ++k) {
      const EventRecord& record = runner_->records()[k];
      if (record.done.empty() || record.name != options_.events[before.fired[i]].name) continue;
      list.push_back(i);
      break;
    }
  }
  return list;
}

/// Requires that all events that act at the instant cross zero at the same time. @throws NoDerivative
void EventSensitivities::require_one_time(const Before& before, const Roots& roots,
                                          const std::vector<std::size_t>& actors, SensitivityColumns& columns,
                                          const Sensitivities& result) const {
  for (const std::size_t i : actors) {
    const auto row = static_cast<Index>(i), leading = static_cast<Index>(actors.front());
    const std::string& name = options_.events[before.fired[i]].name;
    if (roots.grazed[i])
      throw NoDerivative{event_at(name, before.state.t) +
                         "its root is grazed: it passes zero by less than the tolerances resolve. At neighbouring "
                         "values the event does not happen, so the motion has no derivative; if the root does pass "
                         "zero, tighten rtol and atol"};
    for (int c = 0; c < columns.size(); ++c) {
      const double size = columns.column(c).size, shift = roots.shifts(leading, c);
      const double gap = std::abs(roots.shifts(row, c) - shift) * size;
      if (gap > std::max(EventDifferences::separation, options_.rtol) * std::max(span_, std::abs(shift) * size))
        throw NoDerivative{event_at(name, before.state.t) + "it coincides with \"" +
                           options_.events[before.fired[actors.front()]].name + "\", and \"" +
                           result.parameters[static_cast<std::size_t>(c)].name +
                           "\" separates them: the derivative differs on both sides; take it at a neighbouring value"};
    }
  }
}

/// Lets the events act and differentiates the jump.
template <class Act>
EventSensitivities::EventResult EventSensitivities::at_instant(const Before& before, const Roots& roots,
                                                               SensitivityColumns& columns, SensitivityPoint& point,
                                                               Sensitivities& result, Act&& act) {
  using Verdict = EventRunner::Verdict;
  const std::size_t first = runner_->records().size();
  const Verdict verdict = act(*runner_, point.state);
  const EventResult handled{runner_->settled(), verdict == Verdict::stop};
  if (handled.stopped) result.status = runner_->status();
  const std::vector<std::size_t> actors = acted(before, first);
  VectorXd shift = VectorXd::Zero(columns.size());
  if (!actors.empty()) shift = roots.shifts.row(static_cast<Index>(actors.front())).transpose();
  for (std::size_t k = first; k < runner_->records().size(); ++k) {
    const EventRecord& record = runner_->records()[k];
    result.events.push_back({record.t, record.name, shift});
    for (std::size_t i = 0; i < before.fired.size(); ++i) {
      if (options_.events[before.fired[i]].name == record.name)
        result.events.back().dt = roots.shifts.row(static_cast<Index>(i)).transpose();
    }
  }
  if (!handled.changed || !result.status.finished()) return handled;
  require_one_time(before, roots, actors, columns, result);

  const std::vector<std::string> names = names_from(*runner_, first);
  const std::vector<bool> active = runner_->active();
  // A neighbour starts as far behind its root as the motion does, not only to first order: actions may compare with
  // zero.
  const auto onto_root = [&](EventRunner& events, MotionState at) {
    for (int k = 0; !actors.empty() && k < EventDifferences::root_corrections; ++k) {
      const auto row = static_cast<Index>(actors.front());
      const double off = events.root_at(before.fired[actors.front()], at) - roots.value[row];
      const double dt = roots.behind - off / roots.rate[row];
      at = consistent(events, before, at.t + dt, at.q + dt * at.v, at.v + dt * at.a);
    }
    return at;
  };
  const MotionState& after = runner_->restart_state();
  const Index n = after.q.size();
  const auto jump = [&](EventRunner& events, const MotionState& at) {
    const Verdict same = act(events, onto_root(events, at));
    if (same == Verdict::stop && !events.status().finished()) throw NoDerivative{events.status().message};
    const std::vector<std::string> others = names_from(events, 0);
    if (others != names) throw NoDerivative{"at a neighbouring value " + acting(others) + ", not " + acting(names)};
    if (same != verdict || events.active() != active)
      throw NoDerivative{"at a neighbouring value the motion goes on with other active constraints, or ends"};
    VectorXd y(2 * n);
    y << events.restart_state().q, events.restart_state().v;
    return y;
  };
  SensitivityPoint next{after, MatrixXd(n, columns.size()), MatrixXd(n, columns.size()), {}, {}};
  for (int c = 0; c < columns.size(); ++c) {
    const Direction along{shift[c], point.q.col(c) + shift[c] * point.state.v,
                          point.v.col(c) + shift[c] * point.state.a};
    try {
      const VectorXd s = derivative(before, columns.column(c), along, jump);
      next.q.col(c) = s.head(n) - shift[c] * after.v;
      next.v.col(c) = s.tail(n) - shift[c] * after.a;
    } catch (const NoDerivative& none) {
      throw NoDerivative{event_at(names.front(), before.state.t) + "the jump has no derivative by \"" +
                         result.parameters[static_cast<std::size_t>(c)].name + "\": " + none.why};
    }
  }
  point = std::move(next);
  return handled;
}

EventSensitivities::EventResult EventSensitivities::begin(SensitivityColumns& columns, SensitivityPoint& point,
                                                          Sensitivities& result) {
  const MotionState start = point.state;
  const Before before{start, {}, {}, natural_size(*system_, start.q), {}};
  try {
    return at_instant(before, {}, columns, point, result,
                      [](EventRunner& events, const MotionState& at) { return events.begin(at); });
  } catch (const NoDerivative& none) {
    result.status = {Outcome::infeasible, none.why};
    return {false, true};
  }
}

EventSensitivities::EventResult EventSensitivities::handle(const std::vector<int>& found, SensitivityColumns& columns,
                                                           SensitivityPoint& point, Sensitivities& result) {
  const MotionState here = point.state;
  Before before{here, runner_->active(), runner_->memory(here.t), runner_->size(), {}};
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k] != 0) before.fired.push_back(k);
  }
  try {
    return at_instant(before, roots(before, columns, point), columns, point, result,
                      [&](EventRunner& events, const MotionState& at) {
                        return events.handle(found, at.t, at.q.data(), at.v.data());
                      });
  } catch (const NoDerivative& none) {
    result.status = {Outcome::infeasible, none.why};
    return {false, true};
  }
}

}  // namespace sunlagrange::internal
