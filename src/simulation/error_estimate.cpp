#include "simulation/error_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <sunlagrange/base/setting.hpp>

#include "formulation/formulation.hpp"
#include "simulation/options.hpp"
#include "sundials/stepper.hpp"

namespace sunlagrange::internal {
namespace {

constexpr double sharper = 10.0;         // tolerances of the companion are this much smaller, at most
constexpr double more_steps = 1.6;       // than the run has, of adaptive one-step methods
constexpr double shorter_step = 0.75;    // of the companion, fixed steps
constexpr double tightest = 1e-14;       // no integrator takes less
constexpr std::size_t most_times = 200;  // at which the two are compared, unless somebody named the times
constexpr double hardly_more = 1.2;      // steps: BDF, of order 5 at most, takes half as many again for a tenth
constexpr double mostly_longest = 1.5;   // times the steps of a run in which all are as long as allowed
constexpr double large = 0.1;  // of the way, or of the velocities: then the estimate is no small quantity any more
constexpr double drift_left = 0.45;   // of what should have gone from the energy drift, in the companion
constexpr double digits_end = 1e-12;  // of the size: below it differences tell nothing

struct Companion {
  SimulationOptions options;
  double share = 0.0;     ///< of the error of the run that is left in it
  bool one_step = false;  ///< by the order of the method; multistep methods follow their tolerance loosely
};

/// @param run  whose formulation and integrator it takes, also where they were automatic
Companion companion_of(SimulationOptions o, const Simulation& run, double t_reached) {
  o.formulation = run.report.used.formulation;
  o.integrator = run.report.used.integrator.used;
  o.estimate_error = false;
  o.estimated_functions.clear();
  o.t_end = t_reached;
  const ButcherTable* table = fixed_step_table(o);
  const int order = table != nullptr ? table->order : find_integrator(o.integrator).order;
  Companion companion;
  companion.one_step = order > 0;
  if (table != nullptr || o.step > 0.0) {
    o.step *= shorter_step;
    companion.share = std::pow(shorter_step, order);
  } else {
    const double by = order > 0 ? std::min(sharper, std::pow(more_steps, order)) : sharper;
    o.rtol = std::max(o.rtol / by, tightest);
    o.atol /= by;
    o.max_step = run.report.used.max_step / more_steps;
    companion.share = 1.0 / by;
  }
  o.max_steps = std::min(o.max_steps, std::numeric_limits<long>::max() / 10) * 10;
  companion.options = std::move(o);
  return companion;
}

/// Times at which the run kept states, thinned out unless somebody named them; the last one is the end.
std::vector<double> compared_times(const Trajectory& trajectory, Record record, double t_reached) {
  std::vector<double> times;
  const std::size_t stride = record == Record::at_times ? 1 : trajectory.size() / most_times + 1;
  for (std::size_t k = stride; k < trajectory.size(); k += stride) {
    if (times.empty() || trajectory.t(k) > times.back()) times.push_back(trajectory.t(k));
  }
  if (times.empty() || times.back() < t_reached) times.push_back(t_reached);
  return times;
}

MotionState state_of(const Trajectory& path, std::size_t k) {
  MotionState state;
  state.t = path.t(k);
  state.q = path.q(k);
  state.v = path.v(k);
  state.a = path.a(k);
  state.lambda = path.lambda(k);
  return state;
}

double largest_of(const Eigen::VectorXd& x) {
  double largest = 0.0;
  for (const double value : x) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace

ErrorEstimate estimated_error(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                              const SimulationOptions& options, const Simulation& run) {
  ErrorEstimate result;
  const Trajectory& trajectory = run.trajectory;
  const auto doubt = [&result](const std::string& why) {
    result.certain = false;
    result.doubt += (result.doubt.empty() ? "" : "; ") + why;
  };
  const double t_reached = trajectory.t(trajectory.size() - 1);
  Companion companion = companion_of(options, run, t_reached);
  SimulationOptions& o = companion.options;
  const double whole = companion.one_step ? 1.0 / (1.0 - companion.share) : 1.0;  // |e| of |e - e*|
  o.record = Record::at_times;
  o.record_times = compared_times(trajectory, options.record, t_reached);
  result.companion = o.formulation + "/" + o.integrator +
                     (o.step > 0.0 ? ", step " + text(o.step) : ", rtol " + text(o.rtol) + ", atol " + text(o.atol));
  Simulation other;
  try {
    other = simulate(system, given, o);
  } catch (const Error& error) {  // what the run got through, a shorter one need not
    doubt(std::string("there is no companion: ") + error.what());
    return result;
  }
  result.wall_seconds = other.report.wall_seconds;
  if (other.trajectory.empty() || !other.status.finished())
    doubt("the companion ended as " + std::string(to_string(other.status.outcome)));
  const Eigen::VectorXd& scales = system->natural_scales();
  for (const EstimatedFunction& function : options.estimated_functions) result.functions.push_back({function.name});
  double fastest = 0.0;
  std::size_t k = 0;
  for (std::size_t i = 0; i < other.trajectory.size(); ++i) {
    const double t = other.trajectory.t(i);
    while (k + 1 < trajectory.size() && trajectory.t(k) < t) ++k;
    if (trajectory.t(k) != t) continue;
    result.along.push_back({k, whole * (trajectory.q(k) - other.trajectory.q(i)).cwiseAbs(),
                            whole * (trajectory.v(k) - other.trajectory.v(i)).cwiseAbs(),
                            whole * (trajectory.lambda(k) - other.trajectory.lambda(i)).cwiseAbs()});
    result.q = result.along.back().q;
    result.v = result.along.back().v;
    result.lambda = result.along.back().lambda;
    result.t_compared = t;
    result.largest_q = std::max(result.largest_q, largest_of(result.q.cwiseQuotient(scales)));
    result.largest_v = std::max(result.largest_v, largest_of(result.v.cwiseQuotient(scales)));
    result.largest_lambda = std::max(result.largest_lambda, largest_of(result.lambda));
    fastest = std::max(fastest, largest_of(trajectory.v(k).cwiseQuotient(scales)));
    for (std::size_t j = 0; j < result.functions.size(); ++j) {
      FunctionError& of = result.functions[j];
      const EstimatedFunction& function = options.estimated_functions[j];
      of.value = function.value(state_of(trajectory, k));
      of.error = whole * std::abs(of.value - function.value(state_of(other.trajectory, i)));
      if (std::isfinite(of.error)) of.largest = std::max(of.largest, of.error);
    }
  }
  const Promises& promises = find_formulation(o.formulation).promises;
  if (promises.altered_motion > 0.0) doubt("penalties alter the motion at any tolerance, in both runs alike");
  if (!promises.velocities_controlled) doubt("the error test does not see the velocities");
  const double drift_kept = companion.share + drift_left * (1.0 - companion.share);
  if (other.report.energy_drift > drift_kept * run.report.energy_drift &&
      run.report.energy_drift > digits_end * run.report.energy_held)
    doubt("the energy of the companion drifts nearly as much, so it is hardly more accurate");
  if (o.step == 0.0 && find_integrator(o.integrator).kind == IntegratorKind::bdf &&
      static_cast<double>(other.report.steps) <= hardly_more * static_cast<double>(run.report.steps))
    doubt("the companion took hardly more steps, so it is hardly more accurate");
  if (!companion.one_step && run.report.used.max_step > 0.0 &&
      static_cast<double>(run.report.steps) * run.report.used.max_step <
          mostly_longest * (t_reached - run.report.t_start))
    doubt("the longest step and not the tolerance decided on most steps, so the companion may be hardly more accurate");
  if (result.largest_q > large * run.report.way) doubt("it is no small part of the motion");
  if (result.largest_v > large * fastest) doubt("that of the velocities is no small part of them");
  if (result.largest_q < digits_end * run.report.size) doubt("rounding may be larger");
  if (o.step == 0.0 && options.rtol <= tightest) doubt("no companion is more accurate than these tolerances");
  if (!options.events.empty()) doubt("events: the states at one time may stand on two sides of an impact");
  return result;
}

}  // namespace sunlagrange::internal
