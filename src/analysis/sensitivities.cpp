#include <sunlagrange/analysis/sensitivities.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <sunlagrange/base/setting.hpp>

#include "analysis/event_sensitivities.hpp"
#include "analysis/one_coordinate.hpp"
#include "analysis/sundials/forward_sensitivities.hpp"
#include "base/problems.hpp"
#include "consistency/metric_step.hpp"
#include "formulation/parts/acceleration_form.hpp"
#include "linear_algebra/vector_map.hpp"
#include "linear_solver/saddle_point_system.hpp"
#include "model/evaluation.hpp"
#include "model/natural_scales.hpp"
#include "simulation/options.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double at_the_point = 1e-12;  // of the run: no integrator takes a shorter step
constexpr double contradiction = 1e-8;  // of rows after the shortest change, over the sizes of their terms

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
  if (system.first_order())
    throw Error("sensitivities: a kinematic program is no system with forces; difference its runs");
  if (system.has_inactive_rows())
    throw Error("sensitivities: rows of the system are switched off; give the whole one, and inactive_constraints");
  SimulationOptions o = validated(system, start, options);
  std::string problems;
  const auto require = [&problems](bool good, const std::string& complaint) {
    if (!good) problems += complaint + "\n";
  };
  require(o.integrator == "cvode_bdf" || o.integrator == "ida",
          "integrator = " + o.integrator + ": sensitivities are integrated by cvode_bdf (CVODES) or ida (IDAS)");
  require(!wanted.parameters.empty() || !wanted.start_positions.empty() || !wanted.start_velocities.empty() ||
              !wanted.event_parameters.empty(),
          "parameters, start_positions, start_velocities: all are empty; name what to differentiate by");
  for (const EventParameter& parameter : wanted.event_parameters) {
    const std::string problem = event_parameter_problem(parameter, o.events);
    require(problem.empty(), "event_parameters: \"" + parameter.name + "\": " + problem);
  }
  double last = -std::numeric_limits<double>::infinity();
  for (const double t : wanted.times) {
    require(t > last && t >= start.t && t <= o.t_end, "times: " + text(t) +
                                                          " must be later than the one before and within the run, " +
                                                          text(start.t) + " to " + text(o.t_end));
    last = t;
  }
  throw_if_any(problems, "invalid sensitivity options");
  return o;
}

std::vector<int> indices(const MechanicalSystem& system, const std::vector<std::string>& names) {
  std::vector<int> list;
  for (const std::string& name : names) {
    const std::vector<int> found = system.position_indices(name);
    list.insert(list.end(), found.begin(), found.end());
  }
  return list;
}

/// Adds J x and the sizes of its terms, each at least that of what `least` of every coordinate would make.
void add_terms(const PatternMatrix& J, const Eigen::Ref<const VectorXd>& x, const VectorXd& least, VectorXd& sum,
               VectorXd& size) {
  J.for_each_entry([&](int i, int j, double entry) {
    sum[i] += entry * x[j];
    size[i] += std::abs(entry) * std::max(std::abs(x[j]), least[j]);
  });
}

double largest_ratio(const VectorXd& sum, const VectorXd& size, Index rows) {
  double largest = 0.0;
  for (Index i = 0; i < rows; ++i) {
    if (sum[i] != 0.0) largest = std::max(largest, std::abs(sum[i]) / size[i]);
  }
  return largest;
}

/// From a start to the points: the equations at one state, and what is differentiated there.
class Differentiation {
 public:
  Differentiation(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                  const SimulationOptions& options, const SensitivityOptions& wanted)
      : system_(system),
        given_(given),
        options_(options),
        wanted_(wanted),
        span_(options.t_end - given.t),
        n_(system->num_positions()),
        events_(system, given, options),
        tangent_(2 * n_),
        rate_(2 * n_) {
    fixed_positions_ = indices(*system, given.fixed_positions);
    fixed_velocities_ = indices(*system, given.fixed_velocities);
  }

  void run(Sensitivities& result) {
    ConsistencyOptions consistency;
    consistency.start = options_.start;
    consistency.linear_solver = options_.linear_solver;
    const ConsistentState from = consistent_state(events_.runner().system(), given_, consistency);
    result.status = from.report.status;
    if (!result.status.finished()) return;
    const MotionState& start = from.state;
    std::vector<SensitivityColumn> list = name_columns(result);
    const auto p = static_cast<Index>(list.size());
    SensitivityColumns columns(*system_, std::move(list));
    SensitivityPoint point{start, MatrixXd::Zero(n_, p), MatrixXd::Zero(n_, p), {}, {}};
    if (!enter(columns, point.state)) return decline(point, result);
    for (int i = 0; i < columns.size(); ++i) {
      MotionState& s = columns.column(i).start;
      if (options_.start == Start::consistent &&
          !make_consistent(start, columns.terms(i), columns.column(i), result.status)) {
        result.status.message =
            "\"" + result.parameters[static_cast<std::size_t>(i)].name + "\": " + result.status.message;
        return;
      }
      point.q.col(i) = s.q;
      point.v.col(i) = s.v;
    }
    if (!complete(columns, point, result)) return decline(point, result);
    const EventSensitivities::Passage passage = events_.begin(columns, point, result);
    if (passage.changed && !(enter(columns, point.state) && complete(columns, point, result)))
      return decline(point, result);
    std::vector<double> times = wanted_.times;
    if (times.empty()) times = {start.t, options_.t_end};
    auto next = times.begin();
    if (!result.status.finished()) return;
    publish_until(start.t, next, times.end(), point, result);
    if (!passage.stopped) integrate(columns, point, next, times.end(), result);
  }

 private:
  using Time = std::vector<double>::iterator;

  /// From a point to the last of the times, across the events.
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
    while (next != end) {
      if (run == nullptr) run = open(columns, point);
      if (!go_on(*run, result)) break;
      const double t = run->reached();
      const std::vector<int> found = run->stepper().roots_found();
      bool good = true;
      for (; good && next != end && (found.empty() ? *next <= t : *next < t); ++next) {
        good = look(*run, *next, columns, point, result);
        if (good) publish(point, result);
      }
      if (good && next != end && found.empty() && missed_contact(*run, result.status)) break;
      if (good && (next == end || found.empty())) continue;
      good = good && look(*run, t, columns, point, result);
      if (!good) {
        decline(point, result);
        break;
      }
      const EventSensitivities::Passage passage = events_.pass(found, columns, point, result);
      if (passage.changed) {
        leave();
        if (!(enter(columns, point.state) && complete(columns, point, result))) {
          decline(point, result);
          break;
        }
      }
      if (!result.status.finished()) break;
      publish_until(t, next, end, point, result);
      if (!passage.stopped) continue;
      if (wanted_.times.empty() && next != end) publish(point, result);
      break;
    }
    leave();
  }

  /// The rows that are active now, and the equations at a state with them. False: the model declined it.
  bool enter(SensitivityColumns& columns, MotionState& state) {
    active_ = events_.runner().system();
    m_ = active_->num_constraints();
    m_g_ = active_->num_position_constraints();
    workspace_ = make_workspace(*active_, storage_of(options_.linear_solver));
    FormulationInput input{{options_, {}}, active_, state};
    equations_ = std::make_unique<AccelerationForm>(input, Stabilization::none(*active_));
    columns.activate(*active_, events_.runner().rows());
    return linearise(columns, state);
  }

  std::unique_ptr<SensitivityRun> open(SensitivityColumns& columns, const SensitivityPoint& point) {
    for (int i = 0; i < columns.size(); ++i)
      columns.column(i).start = {point.state.t,  point.q.col(i),      point.v.col(i),
                                 point.a.col(i), point.lambda.col(i), 0.0};
    return make_sensitivity_run(events_.runner(), span_, options_, wanted_, columns);
  }

  /// The point of a time in the last step. False: declined.
  bool look(SensitivityRun& run, double t, SensitivityColumns& columns, SensitivityPoint& point,
            Sensitivities& result) {
    point.state.t = t;
    return run.at(t, point.state, point.q, point.v) && linearise(columns, point.state) &&
           complete(columns, point, result);
  }

  /// With rows of the whole system.
  void publish(const SensitivityPoint& point, Sensitivities& result) const {
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

  /// The times at the point itself.
  void publish_until(double t, Time& next, Time end, SensitivityPoint& point, Sensitivities& result) const {
    for (; next != end && *next <= t + at_the_point * span_; ++next) {
      point.state.t = *next;
      publish(point, result);
    }
    point.state.t = t;
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

  std::vector<SensitivityColumn> name_columns(Sensitivities& result) const {
    std::vector<SensitivityColumn> columns;
    const auto add = [&](SystemParameter about, double size) -> SensitivityColumn& {
      for (const SystemParameter& other : result.parameters) {
        if (other.name == about.name) throw Error("sensitivities: \"" + about.name + "\" is asked for twice");
      }
      result.parameters.push_back(std::move(about));
      SensitivityColumn& column = columns.emplace_back();
      column.size = size;
      column.start = {0.0, VectorXd::Zero(n_), VectorXd::Zero(n_), {}, {}, 0.0};
      return column;
    };
    for (const std::string& name : wanted_.parameters) {
      auto derivative = std::make_unique<ParameterDerivative>(system_, name);
      SensitivityColumn& column = add(derivative->about(), derivative->size());
      column.parameter = std::move(derivative);
    }
    const auto add_starts = [&](const std::vector<std::string>& names, const char* letter,
                                VectorXd MotionState::*part) {
      for (const std::string& name : names) {
        const int j = one_coordinate(*system_, name, "sensitivities");
        (add({std::string(letter) + "(" + name + ")", 0.0, "", "start value", Range::finite},
             system_->natural_scales()[j])
             .start.*
         part)[j] = 1.0;
      }
    };
    add_starts(wanted_.start_positions, "q", &MotionState::q);
    add_starts(wanted_.start_velocities, "v", &MotionState::v);
    for (const EventParameter& p : wanted_.event_parameters)
      add({p.name, p.value, p.unit, p.meaning, Range::finite}, p.value != 0.0 ? std::abs(p.value) : 1.0).of_events = &p;
    return columns;
  }

  /// Tangents at the state, whose a and lambda follow; explicit derivatives of the columns.
  bool linearise(SensitivityColumns& columns, MotionState& state) {
    tangent_ << state.q, state.v;
    const double *a = nullptr, *lambda = nullptr;
    if (equations_->linearize_sensitivities(state.t, tangent_.data(), nullptr, a, lambda) != EvaluationResult::ok)
      return false;
    state.a = as_vector(a, n_);
    state.lambda = as_vector(lambda, m_);
    const Point at{state.t, state.q.data(), state.v.data(), state.a.data(), state.lambda.data()};
    return evaluate_system(*active_, request::acceleration_level | request::tangent, at, *workspace_) &&
           columns.evaluate(at);
  }

  /// dq and dv onto the tangents of the constraints: [W G^T; G 0] (change, .) = (0, -(G dq + g_p)), then the same with
  /// d(g', psi). False: rows contradict each other, or a factorisation failed.
  bool make_consistent(const MotionState& at, const ParameterTerms& terms, SensitivityColumn& column, Status& status) {
    MotionState& s = column.start;
    const auto step = [&](int rows, const std::vector<int>& fixed, VectorXd& x, const VectorXd& residual) {
      VectorXd top = VectorXd::Zero(n_), bottom = VectorXd::Zero(m_);
      bottom.head(rows) = -residual.head(rows);
      MetricStep metric(*workspace_->patterns, rows, {{}, fixed}, options_.linear_solver);
      if (metric.solve(*workspace_, top.data(), bottom.data()) != LinearOutcome::ok) return false;
      x += top;
      return true;
    };
    VectorXd rows = VectorXd::Zero(m_);
    rows += workspace_->G * s.q;
    rows.head(m_g_) += terms.g;
    bool good = step(m_g_, fixed_positions_, s.q, rows);
    rows = terms.g_rate;
    rows += workspace_->V_q * s.q;
    rows += workspace_->G * s.v;
    good = good && step(m_, fixed_velocities_, s.v, rows);
    if (good && position_error(s.q, at, column, terms) <= contradiction &&
        velocity_error(s, at, column, terms) <= contradiction)
      return true;
    status = {Outcome::infeasible,
              "no change of the start keeps the constraints when it changes: redundant rows then contradict each "
              "other, or too much is fixed; see analyse_redundancy"};
    return false;
  }

  /// Of the rows of g and of (g', psi), over the sizes of their terms. What the state itself is over the size of the
  /// parameter counts as a change that is not small.
  double position_error(const Eigen::Ref<const VectorXd>& dq, const MotionState& at, const SensitivityColumn& column,
                        const ParameterTerms& terms) const {
    VectorXd sum = VectorXd::Zero(m_);
    sum.head(m_g_) = terms.g;
    VectorXd size = sum.cwiseAbs();
    add_terms(workspace_->G, dq, sizes_of(at.q, column), sum, size);
    return largest_ratio(sum, size, m_g_);
  }
  double velocity_error(const MotionState& s, const MotionState& at, const SensitivityColumn& column,
                        const ParameterTerms& terms) const {
    VectorXd sum = terms.g_rate, size = sum.cwiseAbs();
    add_terms(workspace_->V_q, s.q, sizes_of(at.q, column), sum, size);
    add_terms(workspace_->G, s.v, sizes_of(at.v, column), sum, size);
    return largest_ratio(sum, size, m_);
  }
  VectorXd sizes_of(const VectorXd& x, const SensitivityColumn& column) const {
    return natural_size(*system_, x) / column.size * system_->natural_scales();
  }

  /// dv' and dlambda of the columns at a linearised state.
  bool complete(SensitivityColumns& columns, SensitivityPoint& point, Sensitivities& result) {
    point.a.resize(n_, point.q.cols());
    point.lambda.resize(m_, point.q.cols());
    for (int i = 0; i < columns.size(); ++i) {
      const ParameterTerms& terms = columns.terms(i);
      tangent_ << point.q.col(i), point.v.col(i);
      if (equations_->tangent_motion(tangent_.data(), terms, rate_.data(), point.lambda.col(i).data()) !=
          EvaluationResult::ok)
        return false;
      point.a.col(i) = rate_.tail(n_);
      if (options_.start == Start::consistent)
        result.constraint_error =
            std::max(result.constraint_error, position_error(point.q.col(i), point.state, columns.column(i), terms));
    }
    return true;
  }

  bool go_on(SensitivityRun& run, Sensitivities& result) const {
    Status& status = result.status;
    const std::string when = " at t = " + text(run.reached());
    if (options_.keep_going && !options_.keep_going(run.reached())) {
      status = {Outcome::interrupted, "the application ended the run" + when};
      return false;
    }
    if (result.steps + run.work().steps >= options_.max_steps) {
      status = {Outcome::step_limit, "max_steps = " + std::to_string(options_.max_steps) + " steps were taken" + when +
                                         "; raise max_steps, or rtol and atol"};
      return false;
    }
    return run.advance(status);
  }

  std::shared_ptr<const MechanicalSystem> system_;
  const InitialState& given_;
  const SimulationOptions& options_;
  const SensitivityOptions& wanted_;
  double span_;
  int n_;
  std::vector<int> fixed_positions_, fixed_velocities_;
  EventSensitivities events_;

  // Of the active rows.
  std::shared_ptr<const MechanicalSystem> active_;
  int m_ = 0, m_g_ = 0;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<AccelerationForm> equations_;
  VectorXd tangent_, rate_;
};

}  // namespace

const char* to_string(SensitivityMethod method) {
  return method == SensitivityMethod::simultaneous ? "simultaneous" : "staggered";
}

Sensitivities sensitivities(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                            const SimulationOptions& options, const SensitivityOptions& wanted) {
  if (system == nullptr)
    throw Error("sensitivities: the system is null; build it with make_system() or Assembly::build()");
  const SimulationOptions o = checked(*system, start, options, wanted);
  const auto begin = std::chrono::steady_clock::now();
  Sensitivities result;
  try {
    Differentiation(system, start, o, wanted).run(result);
  } catch (const Error&) {
    throw;  // misuse
  } catch (const std::exception& error) {
    result.status = {Outcome::model_error, std::string("the model threw: ") + error.what()};
  }
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace sunlagrange
