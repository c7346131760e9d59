// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/stability/constraint_dynamics.hpp>

#include "shared/problem.hpp"

namespace sunlagrange::program {

/// Largest steps [s] with which a fixed-step method keeps the constraints in one formulation with given gains. 0: no
/// step tried does. NaN: the limit does not apply, or all steps up to `largest_tried` do; of `certified`: none.
struct StepLimit {
  std::string formulation;
  std::string integrator;
  double law = Report::none, certified = Report::none, step_map = Report::none, observed = Report::none;
  double step_map_contraction = Report::none, observed_contraction = Report::none;
  double largest_tried = Report::none;  ///< of all but the law: a quarter of the run

  void describe(Figures& f) {
    f("formulation", formulation, "name");
    f("integrator", integrator, "fixed-step method");
    f("law_step", law, "s", "contraction of the law of the gains alone, in a Lyapunov norm");
    f("certified_step", certified, "s", "|e| <= eps along this motion by conditions 1 to 4 of [002], step by step");
    f("step_map_step", step_map, "s", "contraction and violation along this motion, by the step map along the run");
    f("observed_step", observed, "s", "a run keeps its constraints, and a seeded violation decays");
    f("step_map_contraction_step", step_map_contraction, "s",
      "contraction by the step map; the violation may be large");
    f("observed_contraction_step", observed_contraction, "s", "a seeded violation decays; the violation may be large");
    f("largest_tried_step", largest_tried, "s", "longest step that was tried, a quarter of the run");
  }
};

/// Returns the second-order law of the error with these gains.
ConstraintDynamics law_of(const MechanicalSystem& system, const Gains& gains);

/// Returns eps of the certificates, in the units of the constraint rows: fixed_step_violation_bound() times the least
/// max|G_ij| of the motion and the smaller of its largest max|q| and its largest max|v| over omega, so that neither the
/// positions nor the velocities of a certified run exceed that bound.
double certified_violation(const Problem& problem, const ConstraintDynamics& law);

/// Returns the limits of rk1 ... rk4 with one formulation; empty if the formulation has no gains.
/// @param run_steps  number of steps of an observed run; fewer if the run would pass the end of the problem
std::vector<StepLimit> step_limits(const Problem& problem, const std::string& formulation, int run_steps);

}  // namespace sunlagrange::program
