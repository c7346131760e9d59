// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "combinations.hpp"
#include "model/evaluation.hpp"

/// Laws of the motion that every combination computes.
namespace sunlagrange::test {

/// The largest share of an allowance that was used, and who used it.
struct Closest {
  double share = 0.0;
  std::string who;
  void note(double used, double allowed, const std::string& name) {
    if (!(used > share * allowed)) return;
    share = used / allowed;
    who = name;
  }
};

/// Compares g and (g', psi) along the run with the stated accuracy of the formulation.
inline void check_violation(const Combination& c, const Simulation& run, double tolerance) {
  const Problem& p = c.problem;
  const auto w = make_workspace(*p.mechanism.system, Storage::sparse);
  BOOST_REQUIRE(evaluate_system(*p.mechanism.system, request::jacobian,
                                {p.start.t, p.start.q.data(), p.start.v.data(), nullptr, nullptr}, *w));
  double G = 0.0;
  for (const double entry : w->G.values) G = std::max(G, std::abs(entry));
  const Accuracy& accuracy = c.formulation.accuracy;
  const auto allowed = [&](ConstraintAccuracy holds) {
    const double held = 50.0 * tolerance + c.altered_motion();
    return holds == ConstraintAccuracy::to_rounding ? 1e-12 : holds == ConstraintAccuracy::to_tolerance ? held : 1e300;
  };
  BOOST_TEST(run.report.max_position_violation <= allowed(accuracy.positions) * G * p.q_size());
  if (p.mechanism.system->first_order()) return;  // no rows on the velocity level
  BOOST_TEST(run.report.max_velocity_violation <= allowed(accuracy.velocities) * G * p.v_size());
}

inline Simulation finished_run(const Combination& c, const SimulationOptions& options) {
  Simulation run = simulate(c.problem.mechanism.system, c.problem.initial(), options);
  BOOST_TEST_REQUIRE(run.status.finished(), c.text() << ": " << run.status.message);
  BOOST_TEST(run.trajectory.t(run.trajectory.size() - 1) == c.problem.t_end);
  return run;
}

/// Adaptive integrators: a step adds an error of the order of the tolerance (root mean square over all unknowns) to
/// what its error test sees, so that the sum is below growth x steps x tolerance. In a v that the error test does not
/// see the same error of q is divided by the step size, which costs another factor `steps`.
inline void check_adaptive_motion(const Combination& c, double tolerance, Closest& closest) {
  const Problem& p = c.problem;
  const Simulation run = finished_run(c, c.options(tolerance));
  if (c.other_motion()) return;
  const auto steps = static_cast<double>(run.report.steps);
  const double factor = growth * std::max(10.0, c.formulation.accuracy.velocities_controlled ? steps : steps * steps);
  const double allowed = factor * tolerance + c.altered_motion();
  const std::size_t last = run.trajectory.size() - 1;
  const double q_error = max_abs(run.trajectory.q(last) - p.q) / p.q_size();
  const double v_error = max_abs(run.trajectory.v(last) - p.v) / p.v_size();
  BOOST_TEST(q_error <= allowed);
  BOOST_TEST(v_error <= allowed);
  closest.note(std::max(q_error, v_error), allowed, c.text());
  check_violation(c, run, tolerance);
}

/// Fixed steps: for any order from one on the error at half the step is at most the difference that halving made. With
/// the next term, C h + D h^2, it is (1 + x / 2) / (1 + 3 x / 2) of that difference, x = D h / C, and below the factor
/// 1.5 allowed for x > -2/7. Projection leaves little of Euler's C and all of his D: x = -0.36 for hydraulic_four_bar
/// in `projected` at the steps of the good solution (errors 2.8e-3, 1.8e-3, 9.8e-4, 5.1e-4, 2.6e-4, each at half the
/// step before), hence Combination::refinement().
inline void check_fixed_step_motion(const Combination& c, Closest& closest) {
  const Problem& p = c.problem;
  SimulationOptions options = c.options(1e-6);
  const Simulation coarse = finished_run(c, options);
  options.step *= 0.5;
  const Simulation fine = finished_run(c, options);
  if (c.other_motion()) return;
  const auto end = [](const Simulation& run) { return run.trajectory.q(run.trajectory.size() - 1); };
  const double difference = max_abs(end(fine) - end(coarse));
  const double allowed = 1.5 * difference + (1e-10 + c.altered_motion()) * p.q_size();
  const double error = max_abs(end(fine) - p.q);
  BOOST_TEST(error <= allowed);
  BOOST_TEST(difference < 0.1 * p.q_size());
  closest.note(error, allowed, c.text());
  check_violation(c, fine, difference / p.q_size());
}

}  // namespace sunlagrange::test
