// SPDX-License-Identifier: BSD-3-Clause
#include "gain_scan/case.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parts/used_gains.hpp"
#include "parts/work.hpp"
#include "shared/interruption.hpp"

namespace sunlagrange::program {
namespace {

/// Most steps of a run. Ten characteristic times take hundreds to thousands; a formulation that does not pass a
/// singular pose would take many more.
constexpr long most_steps = 50000;

double norm(const Eigen::VectorXd& x) {
  return x.size() == 0 ? 0.0 : x.lpNorm<Eigen::Infinity>();
}

/// Largest |q|, |v|, |psi|, ||G_g||_inf and ||G_psi||_inf along a run.
struct Sizes {
  double q = 0.0, v = 0.0, psi = 0.0, G_g = 0.0, G_psi = 0.0;

  Sizes(const std::shared_ptr<const MechanicalSystem>& system, const Trajectory& path) {
    SystemEvaluator evaluator(system);
    const int m = system->num_constraints();
    const int m_g = system->num_position_constraints();
    for (std::size_t k = 0; k < path.size(); ++k) {
      q = std::max(q, norm(path.q(k)));
      v = std::max(v, norm(path.v(k)));
      const SystemQuantities at = evaluator.at(path.t(k), path.q(k), path.v(k));
      if (!at.status.finished()) continue;
      const Eigen::VectorXd rows = at.G.cwiseAbs().rowwise().sum();
      G_g = std::max(G_g, norm(rows.head(m_g)));
      G_psi = std::max(G_psi, norm(rows.tail(m - m_g)));
      psi = std::max(psi, norm(at.g_rate.tail(m - m_g)));
    }
  }
};

double ratio(double violation, double bound) {
  return violation > 0.0 ? violation / bound : 0.0;
}

/// Returns omega from K_D = 2 omega of the report, or from K_N = omega if there are psi rows only.
double used_omega(const Report& report) {
  const RunFacts& used = report.used;
  if (used.K_D && used.K_D->used.size() > 0) return 0.5 * used.K_D->used(0, 0);
  return used.K_N ? used.K_N->used(0, 0) : 0.0;
}

GainRun measure_once(const mechanisms::Mechanism& m, const SimulationOptions& options) {
  const Simulation run = simulate(m.system, m.start, options);
  const Report& r = run.report;
  const Sizes sizes(m.system, run.trajectory);
  GainRun result;
  result.omega = used_omega(r);
  result.finished = run.status.finished();
  result.violation =
      std::max(ratio(r.max_position_violation, 30.0 * sizes.G_g * (options.rtol * sizes.q + options.atol)),
               ratio(sizes.psi, 30.0 * sizes.G_psi * (options.rtol * sizes.v + options.atol)));
  result.cost = work(r);
  result.singular =
      !r.rank_events.empty() || run.status.outcome == Outcome::rank_loss || run.status.outcome == Outcome::infeasible;
  return result;
}

/// Measures one choice of gains by five runs, see GainRun. The result is unfinished as soon as its cost cannot be below
/// `limit`: three expensive runs of five decide the median, and a run has more right-hand sides than steps.
GainRun measure(const mechanisms::Mechanism& m, const SimulationOptions& options,
                double limit = std::numeric_limits<double>::infinity()) {
  GainRun result;
  result.finished = true;
  std::vector<double> costs;
  int expensive = 0;
  bool cut_short = false;
  for (const double factor : {1.0, 0.8, 1.25, 0.9, 1.1}) {
    SimulationOptions varied = options;
    varied.rtol *= factor;
    varied.atol *= factor;
    if (std::isfinite(limit)) varied.max_steps = std::min(varied.max_steps, std::lround(std::ceil(limit)));
    const GainRun run = measure_once(m, varied);
    if (costs.empty()) result.omega = run.omega;
    cut_short = cut_short || !run.finished;
    expensive += !run.finished || run.cost >= limit ? 1 : 0;
    result.finished = result.finished && run.finished;
    result.violation = std::max(result.violation, run.violation);
    result.singular = result.singular || run.singular;
    costs.push_back(run.cost);
    if (std::isfinite(limit) && (expensive == 3 || result.violation > 1.0)) {
      result.finished = false;
      return result;
    }
  }
  if (std::isfinite(limit) && cut_short) return measure(m, options);
  std::sort(costs.begin(), costs.end());
  result.cost = costs[2];
  result.spread = (costs.back() - costs.front()) / result.cost;
  return result;
}

double characteristic_time(const MotionState& start) {
  const double q = norm(start.q) > 0.0 ? norm(start.q) : 1.0;
  double time = std::numeric_limits<double>::infinity();
  if (norm(start.v) > 0.0) time = std::min(time, q / norm(start.v));
  if (norm(start.a) > 0.0) time = std::min(time, std::sqrt(q / norm(start.a)));
  return std::isfinite(time) ? time : 1.0;
}

/// Returns K_D = 2 omega, K_P = omega^2, K_N = omega.
Gains gains_of(double omega) {
  Gains gains;
  gains.K_D = Gain(2.0 * omega);
  gains.K_P = Gain(omega * omega);
  gains.K_N = Gain(omega);
  return gains;
}

void keep_cheapest(const GainRun& run, GainRun& best) {
  if (run.finished && run.violation <= 1.0 && (!best.finished || run.cost < best.cost)) best = run;
}

GainCase scan(const mechanisms::Mechanism& m, const SimulationOptions& automatic, double time, double per_octave) {
  GainCase result;
  result.automatic = measure(m, automatic);
  SimulationOptions options = automatic;
  options.gains = gains_of(0.0);
  result.zero = measure(m, options);
  keep_cheapest(result.zero, result.best);
  const int reach = static_cast<int>(std::lround(6.0 * per_octave));
  for (int k = -reach; k <= reach; ++k) {
    options.gains = gains_of(std::exp2(k / per_octave) / time);
    const double limit = result.best.finished ? result.best.cost : std::numeric_limits<double>::infinity();
    keep_cheapest(measure(m, options, limit), result.best);
  }
  return result;
}

/// Returns the reason why runs with automatic gains are not comparable; empty if they are.
std::string objection_of_runs(const mechanisms::Mechanism& m, SimulationOptions options, const GainScanOptions& scan) {
  for (const double rtol : scan.rtols) {
    options.rtol = options.atol = rtol;
    const GainRun run = measure_once(m, options);
    if (run.singular) return "a singular configuration lies within " + text(scan.times) + " characteristic times";
    if (run.finished && !(run.omega > 0.0)) return "formulation " + scan.formulation + " has no gains";
  }
  return "";
}

SimulationOptions run_options(const GainScanSubject& subject, const GainScanOptions& options) {
  SimulationOptions run;
  run.formulation = options.formulation;
  run.integrator = options.integrator;
  run.t_end = subject.mechanism.start.t + options.times * subject.time;
  run.max_steps = most_steps;
  run.linear_solver.rank_policy = subject.mechanism.rank_policy;
  run.keep_going = [](double) { return !interrupted(); };
  return run;
}

}  // namespace

GainScanSubject prepare_subject(const std::string& name, const mechanisms::Mechanism& mechanism,
                                const GainScanOptions& options) {
  GainScanSubject subject{name, mechanism, "", 0.0};
  const MechanicalSystem& system = *mechanism.system;
  subject.excluded = objection(options.formulation, system, options.integrator);
  if (!subject.excluded.empty()) return subject;
  if (system.num_constraints() == 0) {
    subject.excluded = "it has no constraints, so no gains";
    return subject;
  }
  const MotionState start = consistent_state(mechanism.system, mechanism.start).state;
  const RedundancyReport redundancy = analyse_redundancy(mechanism.system, start.t, start.q, start.v);
  if (redundancy.redundant > 0) {
    subject.excluded = std::to_string(redundancy.redundant) + " constraint rows depend on others at the start";
    return subject;
  }
  subject.time = characteristic_time(start);
  subject.excluded = objection_of_runs(mechanism, run_options(subject, options), options);
  return subject;
}

GainCase scan_case(const GainScanSubject& subject, const GainScanOptions& options, const mechanisms::Units& units,
                   double rtol) {
  const mechanisms::MechanismInUnits converted = mechanisms::in_units(subject.mechanism, units);
  SimulationOptions run = run_options(subject, options);
  run.rtol = rtol;
  run.atol = rtol * converted.tolerance;
  GainCase c = scan(converted.mechanism, run, subject.time, options.per_octave);
  c.mechanism = subject.name;
  c.units = units.name;
  c.rtol = rtol;
  c.atol = run.atol;
  c.time = subject.time;
  return c;
}

}  // namespace sunlagrange::program
