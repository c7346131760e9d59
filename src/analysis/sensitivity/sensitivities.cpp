// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/sensitivities.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <sunlagrange/base/setting.hpp>

#include "analysis/sensitivity/event_sensitivities.hpp"
#include "analysis/sensitivity/start_derivative.hpp"
#include "analysis/shared/differentiated_run.hpp"
#include "analysis/sundials/forward_sensitivities.hpp"
#include "base/problems.hpp"
#include "model/checks/required_system.hpp"
#include "simulation/options.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::string event_parameter_problem(const EventParameter& parameter, const std::vector<Event>& events) {
  if (parameter.events == nullptr) return "has no function that makes the events";
  if (!std::isfinite(parameter.value)) return text(parameter.value) + " is not finite";
  const std::vector<Event> own = parameter.events(parameter.value);
  const bool same = std::equal(own.begin(), own.end(), events.begin(), events.end(),
                               [](const Event& a, const Event& b) { return a.name == b.name; });
  return same ? "" : "its events are not those of the options; give the same names in the same order";
}

SimulationOptions checked(const MechanicalSystem& system, const InitialState& start, const SimulationOptions& options,
                          const SensitivityOptions& wanted) {
  require_forces(system, "sensitivities", "is no system with forces; difference its runs");
  if (system.has_inactive_rows())
    throw Error("sensitivities: rows of the system are switched off; give the whole one, and inactive_constraints");
  SimulationOptions o = validated(system, start, options);
  Problems problems;
  problems.require(
      o.integrator == "cvode_bdf" || o.integrator == "ida",
      "integrator = " + o.integrator + ": sensitivities are integrated by cvode_bdf (CVODES) or ida (IDAS)");
  problems.require(!wanted.parameters.empty() || !wanted.start_positions.empty() || !wanted.start_velocities.empty() ||
                       !wanted.event_parameters.empty(),
                   "parameters, start_positions, start_velocities: all are empty; name what to differentiate by");
  for (const EventParameter& parameter : wanted.event_parameters) {
    const std::string problem = event_parameter_problem(parameter, o.events);
    problems.require(problem.empty(), "event_parameters: \"" + parameter.name + "\": " + problem);
  }
  double last = -std::numeric_limits<double>::infinity();
  for (const double t : wanted.times) {
    problems.require(t > last && t >= start.t && t <= o.t_end, [&] {
      return "times: " + text(t) + " must be later than the one before and within the run, " + text(start.t) + " to " +
             text(o.t_end);
    });
    last = t;
  }
  problems.throw_if_any("invalid sensitivity options");
  return o;
}

/// The integration from a start through the requested times and the events, with the sensitivities.
class Differentiation {
 public:
  Differentiation(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                  const SimulationOptions& options, const SensitivityOptions& wanted,
                  std::vector<SystemParameter>& parameters)
      : system_(system),
        given_(given),
        options_(options),
        wanted_(wanted),
        span_(options.t_end - given.t),
        n_(system->num_positions()),
        events_(system, given, options),
        derivative_(system, given, options, wanted, "sensitivities", parameters),
        tangent_(2 * n_),
        rate_(2 * n_) {}

  void run(Sensitivities& result) {
    ConsistencyOptions consistency;
    consistency.start = options_.start;
    consistency.linear_solver = options_.linear_solver;
    const ConsistentState from = consistent_state(events_.runner().system(), given_, consistency);
    result.status = from.report.status;
    if (!result.status.finished()) return;
    const MotionState& start = from.state;
    SensitivityColumns& columns = derivative_.columns();
    const Index p = columns.size();
    SensitivityPoint point{start, MatrixXd::Zero(n_, p), MatrixXd::Zero(n_, p), {}, {}};
    if (!enter(point.state)) return decline(point, result);
    if (!derivative_.differentiate(start, result.status)) return;
    for (int i = 0; i < columns.size(); ++i) {
      point.q.col(i) = columns.column(i).start.q;
      point.v.col(i) = columns.column(i).start.v;
    }
    if (!complete_point(point, result)) return decline(point, result);
    const EventSensitivities::EventResult handled = events_.begin(columns, point, result);
    if (handled.changed && !(enter(point.state) && complete_point(point, result))) return decline(point, result);
    std::vector<double> times = wanted_.times;
    if (times.empty()) times = {start.t, options_.t_end};
    auto next = times.begin();
    if (!result.status.finished()) return;
    add_points_at(start.t, next, times.end(), point, result);
    if (!handled.stopped) integrate(columns, point, next, times.end(), result);
  }

 private:
  using Time = std::vector<double>::iterator;

  /// Integrates from a point to the last of the times, across the events.
  void integrate(SensitivityColumns& columns, SensitivityPoint& point, Time next, Time end, Sensitivities& result) {
    std::unique_ptr<SensitivityRun> run;
    const auto leave = [&] {
      if (run == nullptr) return;
      const SensitivityCounts work = run->work();
      result.steps += work.steps;
      result.rhs_evaluations += work.rhs_evaluations;
      result.sensitivity_evaluations += work.sensitivity_evaluations;
      run.reset();
    };
    bool begun = false;
    while (next != end) {
      if (run == nullptr) {
        try {
          run = open(columns, point);
        } catch (const Error& error) {
          if (!begun) throw;
          result.status = {Outcome::rank_loss, "after the event at t = " + text(point.state.t) + ": " + error.what()};
          break;
        }
        begun = true;
      }
      const double before = run->reached();
      run->stepper().stop_at(events_.runner().next_stop(before, options_.t_end));
      if (!advance(*run, result)) break;
      if (hides_root(*run, before)) {
        if (evaluate(*run, before, point, result)) {
          leave();
          events_.runner().restart_from(point.state);
          continue;
        }
        decline(point, result);
        break;
      }
      const double t = run->reached();
      const std::vector<int> found = run->stepper().roots_found();
      bool good = true;
      for (; good && next != end && (found.empty() ? *next <= t : *next < t); ++next) {
        good = evaluate(*run, *next, point, result);
        if (good) add_point(point, result);
      }
      if (good && next != end && found.empty() && missed_contact(*run, result.status)) break;
      if (good && (next == end || found.empty())) continue;
      good = good && evaluate(*run, t, point, result);
      if (!good) {
        decline(point, result);
        break;
      }
      const EventSensitivities::EventResult handled = events_.handle(found, columns, point, result);
      if (handled.changed) {
        leave();
        if (!(enter(point.state) && complete_point(point, result))) {
          decline(point, result);
          break;
        }
      }
      if (!result.status.finished()) break;
      add_points_at(t, next, end, point, result);
      if (!handled.stopped) continue;
      if (wanted_.times.empty() && next != end) add_point(point, result);
      break;
    }
    leave();
  }

  /// Enters a state: sets up the rows that are active now and the equations with them. Returns false if the model
  /// declines.
  bool enter(MotionState& state) {
    active_ = events_.runner().system();
    m_ = active_->num_constraints();
    return derivative_.enter(active_, events_.runner().rows(), state);
  }

  std::unique_ptr<SensitivityRun> open(SensitivityColumns& columns, const SensitivityPoint& point) {
    for (int i = 0; i < columns.size(); ++i)
      columns.column(i).start = {point.state.t,  point.q.col(i),      point.v.col(i),
                                 point.a.col(i), point.lambda.col(i), 0.0};
    return make_sensitivity_run(events_.runner(), span_, options_, wanted_, columns);
  }

  /// Evaluates the point at a time within the last step. Returns false if the model declines it.
  bool evaluate(SensitivityRun& run, double t, SensitivityPoint& point, Sensitivities& result) {
    point.state.t = t;
    return run.at(t, point.state, point.q, point.v) && derivative_.linearise(point.state) &&
           complete_point(point, result);
  }

  /// Adds the point to the result, with entries for all rows of the system.
  void add_point(const SensitivityPoint& point, Sensitivities& result) const {
    result.points.push_back(point);
    if (active_ == system_) return;
    SensitivityPoint& whole = result.points.back();
    whole.state.lambda = VectorXd::Zero(system_->num_constraints());
    whole.lambda = MatrixXd::Zero(system_->num_constraints(), point.lambda.cols());
    const std::vector<int>& rows = events_.runner().rows();
    for (Index k = 0; k < m_; ++k) {
      whole.state.lambda[rows[static_cast<std::size_t>(k)]] = point.state.lambda[k];
      whole.lambda.row(rows[static_cast<std::size_t>(k)]) = point.lambda.row(k);
    }
  }

  /// Adds the point at the requested times that coincide with t.
  void add_points_at(double t, Time& next, Time end, SensitivityPoint& point, Sensitivities& result) const {
    for (; next != end && *next <= t + 1e-12 * span_; ++next) {
      point.state.t = *next;
      add_point(point, result);
    }
    point.state.t = t;
  }

  bool hides_root(SensitivityRun& run, double before) {
    if (options_.events.empty()) return false;
    VectorXd q(n_), v(n_), a(n_), q_before(n_), v_before(n_), a_before(n_);
    bool known = false, known_before = false;
    if (!run.stepper().motion(before, q_before.data(), v_before.data(), a_before.data(), known_before) ||
        !run.stepper().motion(run.reached(), q.data(), v.data(), a.data(), known))
      return false;
    const double h = run.reached() - before;
    if (!known_before) a_before = cubic_acceleration(q, v, q_before, v_before, -h);
    if (!known) a = cubic_acceleration(q_before, v_before, q, v, h);
    return events_.runner().hidden_root({before, q_before, v_before, a_before}, {run.reached(), q, v, a}).has_value();
  }

  bool missed_contact(SensitivityRun& run, Status& status) {
    if (options_.events.empty()) return false;
    VectorXd q(n_), v(n_), a(n_);
    bool a_known = false;
    run.stepper().motion(run.reached(), q.data(), v.data(), a.data(), a_known);
    const std::optional<Status> missed = events_.runner().missed_contact(run.reached(), q.data(), v.data());
    if (missed.has_value()) status = *missed;
    return missed.has_value();
  }

  static void decline(const SensitivityPoint& point, Sensitivities& result) {
    result.status = {Outcome::model_error, "the model declined the point at t = " + text(point.state.t) +
                                               ", or one with a parameter nearby; see check_derivatives"};
  }

  /// Computes dv'/dp and dlambda/dp at a linearised state.
  bool complete_point(SensitivityPoint& point, Sensitivities& result) {
    SensitivityColumns& columns = derivative_.columns();
    point.a.resize(n_, point.q.cols());
    point.lambda.resize(m_, point.q.cols());
    for (int i = 0; i < columns.size(); ++i) {
      const ParameterTerms& terms = columns.terms(i);
      tangent_ << point.q.col(i), point.v.col(i);
      if (derivative_.equations().tangent_motion(tangent_.data(), terms, rate_.data(), point.lambda.col(i).data()) !=
          EvaluationResult::ok)
        return false;
      point.a.col(i) = rate_.tail(n_);
      if (options_.start == Start::consistent)
        result.constraint_error =
            std::max(result.constraint_error, derivative_.position_error(point.q.col(i), point.state, i));
    }
    return true;
  }

  bool advance(SensitivityRun& run, Sensitivities& result) const {
    return may_go_on(options_, run.reached(), result.steps + run.work().steps, result.status) &&
           run.advance(result.status);
  }

  std::shared_ptr<const MechanicalSystem> system_;
  const InitialState& given_;
  const SimulationOptions& options_;
  const SensitivityOptions& wanted_;
  double span_;
  int n_;
  EventSensitivities events_;
  StartDerivative derivative_;

  // These belong to the active rows.
  std::shared_ptr<const MechanicalSystem> active_;
  int m_ = 0;
  VectorXd tangent_, rate_;
};

}  // namespace

Sensitivities sensitivities(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                            const SimulationOptions& options, const SensitivityOptions& wanted) {
  require_system(system, "sensitivities");
  const SimulationOptions o = checked(*system, start, options, wanted);
  const auto begin = std::chrono::steady_clock::now();
  Sensitivities result;
  result.rtol = o.rtol;
  result.atol = o.atol;
  guarded(result.status, [&] { Differentiation(system, start, o, wanted, result.parameters).run(result); });
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace sunlagrange
