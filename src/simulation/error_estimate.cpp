// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/error_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "formulation/formulation.hpp"
#include "integrators/stepper.hpp"
#include "simulation/checks/expected_accuracy.hpp"
#include "simulation/companion.hpp"
#include "simulation/options.hpp"

namespace sunlagrange::internal {
namespace {

/// Held by error_estimate_test and error_companion_test.
struct EstimateThresholds {
  std::size_t times = 200;   ///< at which the runs are compared, unless Record::at_times names them
  double hardly_more = 1.2;  ///< times the steps: BDF of order 5 takes 1.5 times as many for a tenth of the error
  double large = 0.1;        ///< of displacement or velocity: the estimate is no small quantity any more
  double drift_left = 0.45;  ///< of the energy drift that should have gone in the companion
};
constexpr EstimateThresholds estimate_threshold;

/// Returns times at which the run kept states, thinned out unless Record::at_times named them; the last one is the end.
/// @param every  so many states from one to the next, or a multiple
std::vector<double> compared_times(const Trajectory& trajectory, Record record, std::size_t every) {
  std::vector<double> times;
  const std::size_t stride =
      record == Record::at_times ? 1 : (trajectory.size() / (every * estimate_threshold.times) + 1) * every;
  for (std::size_t k = stride; k < trajectory.size(); k += stride) {
    if (times.empty() || trajectory.t(k) > times.back()) times.push_back(trajectory.t(k));
  }
  const double t_reached = trajectory.t(trajectory.size() - 1);
  if (times.empty() || times.back() < t_reached) times.push_back(t_reached);
  return times;
}

/// A companion and its run: the first that reached the end, or the last one.
struct CompanionRun {
  Companion companion;
  Simulation run;
  double wall_seconds = 0.0;  ///< time of all companions that were tried
  std::string failure;        ///< empty: it reached the end
};

double largest_of(const Eigen::VectorXd& x) {
  double largest = 0.0;
  for (const double value : x) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

CompanionRun run_beside(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                        const SimulationOptions& options, const Simulation& run, const std::vector<double>& ends) {
  CompanionRun b;
  for (Companion& candidate : companions_of(*system, options, run, ends)) {
    b.companion = std::move(candidate);
    try {
      b.run = run_companion(system, given, b.companion,
                            compared_times(run.trajectory, options.record, b.companion.meets_every));
      const Status& status = b.run.status;
      b.wall_seconds += b.run.report.wall_seconds;
      b.failure = status.finished() ? "" : "the companion ended as " + std::string(to_string(status.outcome));
    } catch (const Error& error) {  // another run may fail where this one did not
      b.run = {};
      b.failure = std::string("there is no companion: ") + error.what();
    }
    if (b.failure.empty() || b.run.status.outcome == Outcome::interrupted) break;
  }
  return b;
}

void compare(const Trajectory& trajectory, std::size_t k, const MotionState& other, double whole,
             const Eigen::VectorXd& scales, ErrorEstimate& e) {
  e.along.push_back({k, whole * (trajectory.q(k) - other.q).cwiseAbs(), whole * (trajectory.v(k) - other.v).cwiseAbs(),
                     whole * (trajectory.lambda(k) - other.lambda).cwiseAbs()});
  const StateError& here = e.along.back();
  e.q = here.q;
  e.v = here.v;
  e.lambda = here.lambda;
  e.t_compared = other.t;
  e.largest_q = std::max(e.largest_q, largest_of(e.q.cwiseQuotient(scales)));
  e.largest_v = std::max(e.largest_v, largest_of(e.v.cwiseQuotient(scales)));
  e.largest_lambda = std::max(e.largest_lambda, largest_of(e.lambda));
}

void compare(const MotionState& here, const MotionState& other, double whole, const EstimatedFunction& function,
             FunctionError& e) {
  e.value = function.value(here);
  e.error = whole * std::abs(e.value - function.value(other));
  if (std::isfinite(e.error)) e.largest = std::max(e.largest, e.error);
}

/// Returns the reasons for which the error may be much larger.
/// @param fastest  largest of the velocities that were compared, in natural scales
std::vector<std::string> doubts_of(const ErrorEstimate& e, const SimulationOptions& options, const Report& run,
                                   const CompanionRun& b, double fastest) {
  const Companion& c = b.companion;
  const Report& other = b.run.report;
  const SimulationOptions& o = c.options;
  std::vector<std::string> doubts;
  const auto doubt_if = [&doubts](bool so, const char* why) {
    if (so) doubts.emplace_back(why);
  };
  doubt_if(find_formulation(run.used.formulation.used).accuracy.altered_motion > 0.0,
           "penalties alter the motion at any tolerance, in both runs alike");
  doubt_if(!find_formulation(o.formulation).accuracy.velocities_controlled,
           "the error test does not see the velocities");
  const double drift_kept = c.share + estimate_threshold.drift_left * (1.0 - c.share);
  doubt_if(other.energy_drift > drift_kept * run.energy_drift && run.energy_drift > rounding_of_runs * run.energy_scale,
           "the energy of the companion drifts nearly as much, so it is hardly more accurate");
  doubt_if(b.failure.empty() && !c.other_family && find_integrator(o.integrator).kind == IntegratorKind::bdf &&
               static_cast<double>(other.steps) <= estimate_threshold.hardly_more * static_cast<double>(run.steps),
           "the companion took hardly more steps, so it is hardly more accurate");
  doubt_if(
      !c.one_step && longest_step_decides(run),
      "the longest step and not the tolerance decided on most steps, so the companion may be hardly more accurate");
  doubt_if(e.largest_q > estimate_threshold.large * run.max_displacement, "it is no small part of the motion");
  doubt_if(e.largest_v > estimate_threshold.large * fastest, "that of the velocities is no small part of them");
  doubt_if(e.largest_q < rounding_of_runs * run.max_position, "rounding may be larger");
  doubt_if(c.other_family && std::min(e.largest_q, e.largest_v) < o.atol,
           "it is smaller than the tolerances of the companion, which may err by more");
  doubt_if(o.step == 0.0 && options.rtol <= tightest_tolerance, "no companion is more accurate than these tolerances");
  doubt_if(!options.events.empty(), "events: the states at one time may stand on two sides of an impact");
  return doubts;
}

}  // namespace

ErrorEstimate estimated_error(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                              const SimulationOptions& options, const Simulation& run,
                              const std::vector<double>& ends) {
  ErrorEstimate result;
  const Trajectory& trajectory = run.trajectory;
  const CompanionRun b = run_beside(system, given, options, run, ends);
  result.companion = b.companion.name;
  result.wall_seconds = b.wall_seconds;
  const Eigen::VectorXd& scales = system->natural_scales();
  const double whole = b.companion.one_step ? 1.0 / (1.0 - b.companion.share) : 1.0;  // |e| of |e - e*|
  for (const EstimatedFunction& function : options.estimated_functions) result.functions.push_back({function.name});
  double fastest = 0.0;
  std::size_t k = 0;
  for (std::size_t i = 0; i < b.run.trajectory.size(); ++i) {
    const MotionState other = b.run.trajectory.state(i);
    while (k + 1 < trajectory.size() && trajectory.t(k) < other.t) ++k;
    if (trajectory.t(k) != other.t) continue;
    compare(trajectory, k, other, whole, scales, result);
    fastest = std::max(fastest, largest_of(trajectory.v(k).cwiseQuotient(scales)));
    for (std::size_t j = 0; j < result.functions.size(); ++j)
      compare(trajectory.state(k), other, whole, options.estimated_functions[j], result.functions[j]);
  }
  std::vector<std::string> doubts;
  if (!b.run.trajectory.empty()) doubts = doubts_of(result, options, run.report, b, fastest);
  if (!b.failure.empty()) doubts.insert(doubts.begin(), b.failure);
  result.certain = doubts.empty();
  for (const std::string& why : doubts) result.doubt += (result.doubt.empty() ? "" : "; ") + why;
  return result;
}

/// An error as small as rounding is known well enough, whatever its factor.
std::vector<Doubt> doubts_about(const ErrorEstimate& e, const SimulationOptions& options, const Report& report) {
  std::vector<Doubt> doubts;
  const std::string found = "the error of the positions is estimated as " + text(e.largest_q) + " in natural scales";
  const bool rounding = e.largest_q < rounding_of_runs * report.max_position && e.t_compared > report.t_start;
  if (!e.certain && !rounding) {
    doubts.push_back({DoubtKind::error_estimate, e.largest_q, 0.0, found + ", which is not certain: " + e.doubt});
    return doubts;
  }
  if (options.step > 0.0) return doubts;  // fixed steps promise nothing
  const double promised = accuracy_threshold.tolerances * (options.atol + options.rtol * report.max_position);
  if (!(e.largest_q > promised)) return doubts;
  doubts.push_back({DoubtKind::error_estimate, e.largest_q, promised,
                    found + ", more than " + text(promised) + ", a thousand tolerances: tighten them"});
  return doubts;
}

}  // namespace sunlagrange::internal
