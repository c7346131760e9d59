#include <sunlagrange/analysis/sensitivities.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <sunlagrange/base/setting.hpp>

#include "analysis/start_derivative.hpp"
#include "analysis/sundials/forward_sensitivities.hpp"
#include "base/problems.hpp"
#include "simulation/options.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

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

/// From a start to the points: the equations at one state, and what is differentiated there.
class Differentiation {
 public:
  Differentiation(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                  const MotionState& start, const SimulationOptions& options, const SensitivityOptions& wanted,
                  std::vector<SystemParameter>& parameters)
      : system_(system),
        options_(options),
        wanted_(wanted),
        n_(system->num_positions()),
        m_(system->num_constraints()),
        derivative_(system, given, start, options, wanted, "sensitivities", parameters),
        tangent_(2 * n_),
        rate_(2 * n_) {}

  void run(const MotionState& start, Sensitivities& result) {
    SensitivityColumns& columns = derivative_.columns();
    const Index p = columns.size();
    SensitivityPoint point{start, MatrixXd::Zero(n_, p), MatrixXd::Zero(n_, p), {}, {}};
    const auto declined = [&] {
      result.status = {Outcome::model_error, "the model declined the point at t = " + text(point.state.t) +
                                                 ", or one with a parameter nearby; see check_derivatives"};
    };
    if (!derivative_.linearise(point.state)) return declined();
    if (!derivative_.differentiate(start, result.status)) return;
    for (int i = 0; i < columns.size(); ++i) {
      point.q.col(i) = columns.column(i).start.q;
      point.v.col(i) = columns.column(i).start.v;
    }
    if (!complete(point, result)) return declined();
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
      if (!run->at(*next, point.state, point.q, point.v) || !derivative_.linearise(point.state) ||
          !complete(point, result))
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
  /// dv' and dlambda of the columns at a linearised state.
  bool complete(SensitivityPoint& point, Sensitivities& result) {
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
  int n_, m_;
  StartDerivative derivative_;
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
    Differentiation(system, start, from.state, o, wanted, result.parameters).run(from.state, result);
  } catch (const Error&) {
    throw;  // misuse
  } catch (const std::exception& error) {
    result.status = {Outcome::model_error, std::string("the model threw: ") + error.what()};
  }
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace sunlagrange
