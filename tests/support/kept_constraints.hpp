// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <sunlagrange/gains/stability_boundary.hpp>
#include <sunlagrange/stability.hpp>

#include "mechanisms/mechanism.hpp"

/// The law that a step listed as stable gives a run without the doubt that its constraints are violated.
namespace sunlagrange::test {

/// Methods of the law: rk1 ... rk4 and two tables of the user.
inline const std::vector<ButcherTable>& methods_of_the_law() {
  static const std::vector<ButcherTable> methods = {
      rk1(),
      rk2(),
      rk3(),
      rk4(),
      {"ssp3", 3, {0.0, 1.0, 0.5}, {{}, {1.0}, {0.25, 0.25}}, {1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0}},
      {"three eighths",
       4,
       {0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0},
       {{}, {1.0 / 3.0}, {-1.0 / 3.0, 1.0}, {1.0, -1.0, 1.0}},
       {0.125, 0.375, 0.375, 0.125}}};
  return methods;
}

/// A mechanism with the gains of its default formulation.
struct LawCase {
  std::shared_ptr<const MechanicalSystem> system;
  MotionState start;
  FormulationOptions options;  ///< without gains
  FormulationFacts facts;
  double t_end = 0.0;
  bool program = false;

  /// @param longest  largest length of a run [s]
  LawCase(const mechanisms::MechanismEntry& entry, double longest) {
    const mechanisms::Mechanism mechanism = entry.make(entry.sized() ? 3 : 0);
    system = mechanism.system;
    program = system->first_order();
    options.formulation = std::string(default_formulation(*system));
    options.linear_solver.rank_policy = mechanism.rank_policy;
    t_end = mechanism.start.t + std::min(mechanism.t_end - mechanism.start.t, longest);
    ConsistencyOptions consistency;
    consistency.linear_solver = options.linear_solver;
    start = consistent_state(system, mechanism.start, consistency).state;
    options.gains = mechanism.gains;
    facts = FirstOrderForm(system, start, options).facts();
  }

  bool has_gains() const { return facts.K_D || facts.K_P || facts.K_N; }

  /// Returns the gains with rates multiplied by a factor.
  Gains gains(double factor) const {
    const auto times = [](const std::optional<UsedGain>& gain, double by) {
      return gain && gain->used.size() > 0 ? Gain(Eigen::MatrixXd(by * gain->used.dense())) : Gain();
    };
    Gains result;
    result.K_D = times(facts.K_D, factor);
    result.K_P = times(facts.K_P, factor * factor);
    result.K_N = times(facts.K_N, factor);
    return result;
  }

  /// Returns the gains of gain_limits() for this rate, with damping ratio 1.
  Gains gains_of_rate(double rate) const {
    Gains result = program ? Gains{} : Gains::natural_frequency(rate, 1.0);
    if (program || system->num_velocity_constraints() > 0) result.K_N = rate;
    return result;
  }

  ConstraintDynamics law(const Gains& gains) const {
    const int m_g = system->num_position_constraints();
    return program ? ConstraintDynamics::first_order(gains.K_N.matrix(m_g, "K_N", true).dense())
                   : ConstraintDynamics::second_order(gains, m_g, system->num_velocity_constraints());
  }

  /// Returns the run with this fixed step.
  Simulation run(const Gains& gains, const ButcherTable& table, double step) const {
    SimulationOptions run;
    run.formulation = options.formulation;
    run.linear_solver = options.linear_solver;
    run.integrator = "table";
    run.table = table;
    run.step = step;
    run.gains = gains;
    run.t_end = t_end;
    run.record = Record::ends_only;
    return simulate(system, {start.t, start.q, start.v}, run);
  }
};

/// Returns true if the run has a doubt that its constraints are violated, by the positions or by the velocities.
inline bool violates(const Simulation& run) {
  return std::any_of(run.status.doubts.begin(), run.status.doubts.end(), [](const Doubt& d) {
    return d.kind == DoubtKind::position_violation || d.kind == DoubtKind::velocity_violation;
  });
}

/// Returns the violations by which the doubts judge.
inline std::string violations(const Simulation& run) {
  return "relative violation " + std::to_string(run.report.relative_violation) + " of positions, " +
         std::to_string(run.report.relative_velocity_violation) + " of velocities";
}

/// Holds the predicted largest steps of all methods to the law. Returns the number of steps that were predicted.
inline int check_law(const mechanisms::MechanismEntry& entry, double longest, const std::vector<double>& factors) {
  const LawCase c(entry, longest);
  if (c.system->num_constraints() == 0 || !c.has_gains()) return 0;
  int predicted = 0;
  for (const double factor : factors) {
    const Gains gains = c.gains(factor);
    const ConstraintDynamics law = c.law(gains);
    const double rate = law.scale().size() > 0 ? 1.0 / law.scale().minCoeff() : 1.0;
    for (const ButcherTable& table : methods_of_the_law()) {
      const double length = c.t_end - c.start.t;
      const std::vector<Interval> of_the_law = admissible_steps(table, law);
      const double unit = std::min(of_the_law.empty() ? length : of_the_law.front().high, length / 8.0);
      const FixedStepPrediction prediction(c.system, {c.start.t, c.start.q, c.start.v}, c.options, table, c.t_end);
      const double step = unit * largest_stable_step(
                                     [&](double x) {
                                       const double h = x * unit;
                                       const int steps = std::min(200, static_cast<int>(length / h + 1e-9));
                                       return prediction.keeps_constraints(gains, h, rate) &&
                                              dies_out(prediction.along_the_run(gains, h, steps, rate));
                                     },
                                     {0.05, 1.2, length / 4.0 / unit, 1e-3});
      if (!(step > 0.0)) continue;  // stable up to a quarter of the run, or never
      ++predicted;
      const Simulation run = c.run(gains, table, step);
      BOOST_TEST(!violates(run), entry.name << ", gains x " << factor << ", " << table.name << ", step " << step << ": "
                                            << violations(run));
    }
  }
  return predicted;
}

/// Holds the largest gains that gain_limits() predicts for a run of `steps` steps to the law. Returns the number of
/// gains that were predicted.
inline int check_law_of_gains(const mechanisms::MechanismEntry& entry, double longest, int steps) {
  const LawCase c(entry, longest);
  if (c.system->num_constraints() == 0 || !c.has_gains()) return 0;
  int predicted = 0;
  const double step = (c.t_end - c.start.t) / steps;
  for (const ButcherTable& table : methods_of_the_law()) {
    const GainLimits limits = gain_limits(c.system, {c.start.t, c.start.q, c.start.v}, c.options, table, step, c.t_end);
    for (const double gain : {limits.along_the_run, limits.along_the_motion}) {
      if (!(gain > 0.0)) continue;
      ++predicted;
      const Simulation run = c.run(c.gains_of_rate(gain), table, step);
      BOOST_TEST(!violates(run),
                 entry.name << ", gain " << gain << ", " << table.name << ", step " << step << ": " << violations(run));
    }
  }
  return predicted;
}

}  // namespace sunlagrange::test
