#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

class Figures;

/// A function of the state that a user cares about (a place, a force, an energy), whose error is estimated with the
/// run. An integral over the run is one, too: of a coordinate that has the integrand as its rate.
struct EstimatedFunction {
  std::string name;
  std::function<double(const MotionState& state)> value;
};

/// What a run and its companion make of such a function.
struct FunctionError {
  std::string name;
  double value = 0.0;    ///< of the run, at the last state that was compared
  double error = 0.0;    ///< there
  double largest = 0.0;  ///< over the states that were compared

  void describe(Figures& f);
};

/// Estimated |numerical - exact| of one state of the trajectory, by coordinate and row.
struct StateError {
  std::size_t state = 0;  ///< its number there
  Eigen::VectorXd q, v, lambda;

  void describe(Figures& f);
};

/// Estimate of the global error of a run, |numerical - exact|: how far it lies from a companion run that is several
/// times as accurate. Errors that both make alike (of the model, of a wrong branch) are not in it.
struct ErrorEstimate {
  Eigen::VectorXd q, v, lambda;          ///< at the last state, by coordinate and row
  double largest_q = 0.0;                ///< over the states that were compared, in natural scales of the coordinates
  double largest_v = 0.0;                ///< the same for velocities [1/s]
  double largest_lambda = 0.0;           ///< of all rows
  std::vector<FunctionError> functions;  ///< of SimulationOptions::estimated_functions
  /// At the states that were compared, in their order: all that the trajectory keeps with Record::at_times, about 200
  /// of them otherwise.
  std::vector<StateError> along;
  double t_compared = 0.0;  ///< [s], up to where both ran
  bool certain = true;      ///< false: `doubt` says why the error may be much larger
  std::string doubt;
  std::string companion;      ///< what it was compared with
  double wall_seconds = 0.0;  ///< of the companion

  void describe(Figures& f);
};

}  // namespace sunlagrange
