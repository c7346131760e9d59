// SPDX-License-Identifier: BSD-3-Clause
#include "adaptive_vs_fixed/step_limits.hpp"

#include <algorithm>
#include <cmath>

#include <sunlagrange/gains/stability_boundary.hpp>
#include <sunlagrange/simulation/catalogue.hpp>
#include <sunlagrange/simulation/violation_bound.hpp>
#include <sunlagrange/stability/certificate.hpp>
#include <sunlagrange/stability/first_order_form.hpp>
#include <sunlagrange/stability/gain_limits.hpp>
#include <sunlagrange/stability/runge_kutta_conditions.hpp>

#include "parts/stability_observer.hpp"
#include "parts/used_gains.hpp"

namespace sunlagrange::program {
namespace {

/// Returns true if the constraint error obeys the law of the gains. Formulations that alter the equations add a force
/// to the law, and the conditions do not cover them.
bool obeys_the_law(const std::string& name) {
  return formulation(name).accuracy.altered_motion == 0.0;
}

MotionState consistent_start(const Problem& problem) {
  ConsistencyOptions consistency;
  consistency.linear_solver = problem.options.linear_solver;
  return consistent_state(problem.mechanism.system, problem.mechanism.start, consistency).state;
}

/// Returns the largest step with a certificate for this motion; NaN if none was found.
double certified_step(const Problem& problem, const std::string& formulation, const Gains& gains,
                      const ConstraintDynamics& law, const ButcherTable& table, double largest) {
  FormulationOptions options{problem.options, {}};
  options.formulation = formulation;
  options.gains = gains;
  const MotionState start = consistent_start(problem);
  FirstOrderForm form(problem.mechanism.system, start, options);
  ErrorProgram program;
  program.rhs = [&form](double t, const Eigen::VectorXd& y, Eigen::VectorXd& out) { return form.rhs(t, y, out); };
  program.error = [&form](double t, const Eigen::VectorXd& y, Eigen::VectorXd& e) {
    return form.constraint_error(t, y, e);
  };
  program.law = law;
  program.t0 = start.t;
  program.y0 = form.pack(start);
  CertificateOptions certificate;
  certificate.eps = certified_violation(problem, law);
  certificate.stop_at_failure = true;
  const double length = problem.options.t_end - start.t;
  const double found = largest_certified_step(program, table, problem.options.t_end, certificate,
                                              std::min(largest, length / 4.0), length / 20000.0)
                           .certified;
  return found > 0.0 ? found : Report::none;
}

}  // namespace

ConstraintDynamics law_of(const MechanicalSystem& system, const Gains& gains) {
  return ConstraintDynamics::second_order(gains, system.num_position_constraints(), system.num_velocity_constraints());
}

double certified_violation(const Problem& problem, const ConstraintDynamics& law) {
  const auto& system = problem.mechanism.system;
  SimulationOptions options = problem.options;
  options.formulation = default_formulation(*system);
  options.integrator = "dopri5";
  options.table.reset();
  options.rtol = options.atol = 1e-6;
  const Trajectory motion = simulate(system, problem.mechanism.start, options).trajectory;
  SystemEvaluator evaluator(system);
  double entry = 0.0, size = 0.0, speed = 0.0;
  for (std::size_t k = 0; k < motion.size(); ++k) {
    const SystemQuantities at = evaluator.at(motion.t(k), motion.q(k), motion.v(k));
    if (!at.status.finished() || at.G.size() == 0) continue;
    const double largest = at.G.cwiseAbs().maxCoeff();
    entry = entry > 0.0 ? std::min(entry, largest) : largest;
    size = std::max(size, motion.q(k).lpNorm<Eigen::Infinity>());
    speed = std::max(speed, motion.v(k).lpNorm<Eigen::Infinity>());
  }
  const double of_velocities = speed * law.scale().minCoeff();
  const double smallest = std::min(size > 0.0 ? size : 1.0, of_velocities > 0.0 ? of_velocities : 1.0);
  return fixed_step_violation_bound(options.formulation) * (entry > 0.0 ? entry : 1.0) * smallest;
}

std::vector<StepLimit> step_limits(const Problem& problem, const std::string& formulation, int run_steps) {
  const std::optional<Gains> gains = used_gains(problem, formulation);
  if (!gains) return {};
  const auto& system = problem.mechanism.system;
  const ConstraintDynamics law = law_of(*system, *gains);
  const double rate = law.scale().size() > 0 ? 1.0 / law.scale().minCoeff() : 1.0;
  const double length = problem.options.t_end - problem.mechanism.start.t;
  std::vector<StepLimit> limits;
  for (const char* name : {"rk1", "rk2", "rk3", "rk4"}) {
    const ButcherTable& table = *integrator(name).fixed_step_table;
    const std::vector<Interval> steps = admissible_steps(table, law);
    SimulationOptions options = problem.options;
    options.formulation = formulation;
    options.integrator = name;
    const StabilityObserver observer(system, problem.mechanism.start, options, {1e-7, run_steps});
    const FixedStepPrediction predictor(system, problem.mechanism.start, {options, {}}, table, options.t_end);
    // steps are searched in units of the limit of the law alone, with at least four steps in a run
    const double unit = std::min(steps.empty() ? length : steps.front().high, length / 8.0);
    StepLimit limit = {formulation, name};
    limit.largest_tried = length / 4.0;
    const GainSearch search = {0.05, 1.1, limit.largest_tried / unit, 1e-3};
    if (obeys_the_law(formulation) && !steps.empty()) {
      limit.law = steps.front().high;
      limit.certified = certified_step(problem, formulation, *gains, law, table, limit.law);
    }
    limit.observed_contraction =
        unit * largest_stable_step([&](double x) { return observer.contracts(*gains, x * unit, rate); }, search);
    limit.observed =
        unit * largest_stable_step(
                   [&](double x) {
                     const double step = x * unit;
                     return !(step > limit.observed_contraction) && observer.keeps_constraints(*gains, step);
                   },
                   search);
    limit.step_map_contraction =
        unit * largest_stable_step(
                   [&](double x) {
                     const double step = x * unit;
                     return dies_out(predictor.along_the_run(*gains, step, observer.steps(step), rate));
                   },
                   search);
    limit.step_map =
        unit * largest_stable_step(
                   [&](double x) {
                     const double step = x * unit;
                     return !(step > limit.step_map_contraction) && predictor.keeps_constraints(*gains, step, rate);
                   },
                   search);
    limits.push_back(limit);
  }
  return limits;
}

}  // namespace sunlagrange::program
