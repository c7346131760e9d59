#pragma once

#include <string>
#include <vector>

#include <sunlagrange/base/figures.hpp>

#include "shared/problem.hpp"

namespace sunlagrange::program {

/// Largest steps [s] with which a fixed-step method keeps the constraints in one formulation with given gains. NaN:
/// there is no such step, or the limit does not apply.
struct StepLimit {
  std::string formulation;
  std::string integrator;
  double law = 0.0, certified = 0.0, step_map = 0.0, observed = 0.0;

  void describe(Figures& f) {
    f("formulation", formulation, "name");
    f("integrator", integrator, "fixed-step method");
    f("law_step", law, "s", "contraction of the law of the gains alone, in a Lyapunov norm");
    f("certified_step", certified, "s", "|e| <= eps along this motion by conditions 1 to 4 of [002], step by step");
    f("step_map_step", step_map, "s", "contraction along this motion, by the step map linearised along the run");
    f("observed_step", observed, "s", "a seeded violation decays in a run");
  }
};

/// Returns eps of the certificates: one per cent of |G| max|q| at the start, in the units of the constraint rows.
double certified_violation(const Problem& problem);

/// Returns the limits of rk1 ... rk4 with one formulation; empty if the formulation has no gains.
/// @param run_steps  number of steps of an observed run; fewer if the run would pass the end of the problem
std::vector<StepLimit> step_limits(const Problem& problem, const std::string& formulation, int run_steps);

}  // namespace sunlagrange::program
