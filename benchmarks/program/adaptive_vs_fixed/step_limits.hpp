#pragma once

#include <string>
#include <vector>

#include "shared/problem.hpp"

namespace sunlagrange::program {

/// The largest steps with which a fixed-step method keeps the constraints of one formulation, gains given [s]; NaN:
/// there is none, or the question does not apply.
struct StepLimit {
  std::string formulation;
  std::string integrator;
  double law = 0.0;        ///< contraction of the law of the gains alone, in a Lyapunov norm
  double certified = 0.0;  ///< |e| <= eps along this motion by conditions 1 to 4 of [002], step by step
  double step_map = 0.0;   ///< contraction along this motion, by the step map linearised along the run
  double observed = 0.0;   ///< a seeded violation dies out in a run
};

/// eps of the certificates: one per cent of |G| max|q| at the start, in the units of the rows.
double certified_violation(const Problem& problem);

/// Of rk1 ... rk4 with one formulation; empty where nothing feeds the constraints back.
/// @param run_steps  of an observed run, fewer where it would be longer than the problem's
std::vector<StepLimit> step_limits(const Problem& problem, const std::string& formulation, int run_steps);

}  // namespace sunlagrange::program
