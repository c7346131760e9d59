// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/base/tolerances.hpp>
#include <sunlagrange/gains/gains.hpp>
#include <sunlagrange/gains/integrator_hint.hpp>
#include <sunlagrange/linear_solver/options.hpp>

namespace sunlagrange {

/// Options of the constraint feedback and its linear solver.
struct GainOptions : Tolerances {
  Gains gains;  ///< automatic: critical damping at the rate of the motion, gain_advice.hpp

  /// Shortest time in which the motion changes [s], e.g. period / 2 pi, for automatic gains. Default: 0, computed at
  /// the start.
  double time_scale = 0.0;

  LinearSolverOptions linear_solver;  ///< linear solver and rank policy
};

/// Properties of the run. simulate() fills them in.
struct RunHints {
  IntegratorHint integrator;  ///< for automatic gains
  double t_span = 1.0;        ///< length of the time interval [s]; used for time scales if nothing else determines them
};

}  // namespace sunlagrange
