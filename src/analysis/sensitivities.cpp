#include <sunlagrange/analysis/sensitivities.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <sunlagrange/base/setting.hpp>

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

constexpr double contradiction = 1e-8;  // of rows after the shortest change, over the sizes of their terms

SimulationOptions checked(const MechanicalSystem& system, const InitialState& start, const SimulationOptions& options,
                          const SensitivityOptions& wanted) {
  if (system.first_order())
    throw Error("sensitivities: a kinematic program is no system with forces; difference its runs");
  if (system.has_inactive_rows() || !options.inactive_constraints.empty())
    throw Error("sensitivities: rows are switched off; build the system without them");
  SimulationOptions o = validated(system, start, options);
  std::string problems;
  const auto require = [&problems](bool good, const std::string& complaint) {
    if (!good) problems += complaint + "\n";
  };
  require(o.integrator == "cvode_bdf" || o.integrator == "ida",
          "integrator = " + o.integrator + ": sensitivities are integrated by cvode_bdf (CVODES) or ida (IDAS)");
  require(o.events.empty(), "events: the sensitivities jump there, and nobody computes the jump; stop before them");
  require(!wanted.parameters.empty() || !wanted.start_positions.empty() || !wanted.start_velocities.empty(),
          "parameters, start_positions, start_velocities: all are empty; name what to differentiate by");
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
        options_(options),
        wanted_(wanted),
        n_(system->num_positions()),
        m_(system->num_constraints()),
        m_g_(system->num_position_constraints()),
        workspace_(make_workspace(*system, storage_of(options.linear_solver))),
        tangent_(2 * n_),
        rate_(2 * n_) {
    fixed_positions_ = indices(*system, given.fixed_positions);
    fixed_velocities_ = indices(*system, given.fixed_velocities);
  }

  void run(const MotionState& start, Sensitivities& result) {
    std::vector<SensitivityColumn> list = name_columns(result);
    const Index p = static_cast<Index>(list.size());
    SensitivityColumns columns(*system_, std::move(list));
    FormulationInput input{{options_, {}}, system_, start};
    AccelerationForm equations(input, Stabilization::none(*system_));
    SensitivityPoint point{start, MatrixXd::Zero(n_, p), MatrixXd::Zero(n_, p), {}, {}};
    const auto declined = [&] {
      result.status = {Outcome::model_error, "the model declined the point at t = " + text(point.state.t) +
                                                 ", or one with a parameter nearby; see check_derivatives"};
    };
    if (!linearise(equations, columns, point.state)) return declined();
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
    if (!complete(equations, columns, point, result)) return declined();
    for (int i = 0; i < columns.size(); ++i) {
      columns.column(i).start.a = point.a.col(i);
      columns.column(i).start.lambda = point.lambda.col(i);
    }
    std::vector<double> times = wanted_.times;
    if (times.empty()) times = {start.t, options_.t_end};
    auto next = times.begin();
    if (*next == start.t) {
      result.points.push_back(point);
      ++next;
    }
    const std::unique_ptr<SensitivityRun> run = make_sensitivity_run(system_, start, options_, wanted_, columns);
    for (; next != times.end() && result.status.finished(); ++next) {
      while (run->reached() < *next && go_on(*run, result.status)) {
      }
      if (!result.status.finished()) break;
      point.state.t = *next;
      if (!run->at(*next, point.state, point.q, point.v) || !linearise(equations, columns, point.state) ||
          !complete(equations, columns, point, result))
        declined();
      else
        result.points.push_back(point);
    }
    const SensitivityCounts work = run->work();
    result.steps = work.steps;
    result.rhs_evaluations = work.rhs_evaluations;
    result.sensitivity_evaluations = work.sensitivity_evaluations;
  }

 private:
  std::vector<SensitivityColumn> name_columns(Sensitivities& result) const {
    std::vector<SensitivityColumn> columns;
    const auto add = [&](SystemParameter about, double size) -> SensitivityColumn& {
      for (const SystemParameter& other : result.parameters) {
        if (other.name == about.name) throw Error("sensitivities: \"" + about.name + "\" is asked for twice");
      }
      result.parameters.push_back(std::move(about));
      SensitivityColumn& column = columns.emplace_back();
      column.size = size;
      column.start = {0.0, VectorXd::Zero(n_), VectorXd::Zero(n_), VectorXd::Zero(n_), VectorXd::Zero(m_), 0.0};
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
    return columns;
  }

  /// Tangents at the state, whose a and lambda follow; explicit derivatives of the columns.
  bool linearise(AccelerationForm& equations, SensitivityColumns& columns, MotionState& state) {
    tangent_ << state.q, state.v;
    const double *a = nullptr, *lambda = nullptr;
    if (equations.linearize_sensitivities(state.t, tangent_.data(), nullptr, a, lambda) != EvaluationResult::ok)
      return false;
    state.a = as_vector(a, n_);
    state.lambda = as_vector(lambda, m_);
    const Point at{state.t, state.q.data(), state.v.data(), state.a.data(), state.lambda.data()};
    return evaluate_system(*system_, request::acceleration_level | request::tangent, at, *workspace_) &&
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
  bool complete(AccelerationForm& equations, SensitivityColumns& columns, SensitivityPoint& point,
                Sensitivities& result) {
    point.a.resize(n_, point.q.cols());
    point.lambda.resize(m_, point.q.cols());
    for (int i = 0; i < columns.size(); ++i) {
      const ParameterTerms& terms = columns.terms(i);
      tangent_ << point.q.col(i), point.v.col(i);
      if (equations.tangent_motion(tangent_.data(), terms, rate_.data(), point.lambda.col(i).data()) !=
          EvaluationResult::ok)
        return false;
      point.a.col(i) = rate_.tail(n_);
      if (options_.start == Start::consistent)
        result.constraint_error =
            std::max(result.constraint_error, position_error(point.q.col(i), point.state, columns.column(i), terms));
    }
    return true;
  }

  bool go_on(SensitivityRun& run, Status& status) const {
    const std::string when = " at t = " + text(run.reached());
    if (options_.keep_going && !options_.keep_going(run.reached())) {
      status = {Outcome::interrupted, "the application ended the run" + when};
      return false;
    }
    if (run.work().steps >= options_.max_steps) {
      status = {Outcome::step_limit, "max_steps = " + std::to_string(options_.max_steps) + " steps were taken" + when +
                                         "; raise max_steps, or rtol and atol"};
      return false;
    }
    return run.advance(status);
  }

  std::shared_ptr<const MechanicalSystem> system_;
  const SimulationOptions& options_;
  const SensitivityOptions& wanted_;
  int n_, m_, m_g_;
  std::vector<int> fixed_positions_, fixed_velocities_;
  std::unique_ptr<Workspace> workspace_;
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
  ConsistencyOptions consistency;
  consistency.start = o.start;
  consistency.linear_solver = o.linear_solver;
  const ConsistentState from = consistent_state(system, start, consistency);
  Sensitivities result;
  result.status = from.report.status;
  if (!result.status.finished()) return result;
  try {
    Differentiation(system, start, o, wanted).run(from.state, result);
  } catch (const Error&) {
    throw;  // misuse
  } catch (const std::exception& error) {
    result.status = {Outcome::model_error, std::string("the model threw: ") + error.what()};
  }
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace sunlagrange
