#pragma once

#include <string>

#include <sunlagrange/gains/excess_energy.hpp>
#include <sunlagrange/gains/gains.hpp>
#include <sunlagrange/gains/integrator_hint.hpp>
#include <sunlagrange/linear_solver/options.hpp>

namespace sunlagrange {

/// What makes a formulation out of a system; the common part of the options of every front door that is not simulate().
struct FormulationOptions {
  std::string formulation = "baumgarte";  ///< a registered name
  Gains gains;
  LinearSolverOptions linear_solver;

  /// Tolerances the application uses; read by DAE forms (error weights, first step), by augmented_lagrangian (when to
  /// stop iterating) and by automatic gains with BDF only.
  double rtol = 1e-6;
  double atol = 1e-8;

  /// Length of the time interval [s], a last resort for time scales.
  double t_span = 1.0;

  ExcessEnergy excess;  ///< extended_lagrangian only; nothing given: constant gains

  /// What automatic gains may know of the integrator; gain_advice.hpp.
  IntegratorHint integrator;

  /// Shortest time in which the motion changes [s], e.g. period / 2 pi, for automatic gains; 0: read off the start.
  double time_scale = 0.0;
};

}  // namespace sunlagrange
