#pragma once

#include <sunlagrange/base/tolerances.hpp>
#include <sunlagrange/gains/gains.hpp>
#include <sunlagrange/gains/integrator_hint.hpp>
#include <sunlagrange/linear_solver/options.hpp>

namespace sunlagrange {

/// The part of the options that says how the constraints are held.
struct GainOptions : Tolerances {
  Gains gains;  ///< automatic: critical damping at the rate of the motion, gain_advice.hpp

  /// Shortest time in which the motion changes [s], e.g. period / 2 pi, for automatic gains; 0: read off the start.
  double time_scale = 0.0;

  LinearSolverOptions linear_solver;
};

/// What simulate() knows of the run by itself, and everybody else may say.
struct RunHints {
  IntegratorHint integrator;  ///< for automatic gains
  double t_span = 1.0;        ///< length of the time interval [s], a last resort for time scales
};

}  // namespace sunlagrange
