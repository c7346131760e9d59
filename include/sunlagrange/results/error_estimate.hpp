// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

class Figures;

/// A function of the state, such as a place, a force or an energy, whose error is estimated with the run. For an
/// integral over the run add a coordinate that has the integrand as its rate.
struct EstimatedFunction {
  std::string name;                                       ///< key of the estimate in the report
  std::function<double(const MotionState& state)> value;  ///< called with states of both runs
};

/// The estimated error of such a function.
struct FunctionError {
  std::string name;
  double value = 0.0;    ///< value of the run at the last state that was compared
  double error = 0.0;    ///< estimated error at that state
  double largest = 0.0;  ///< largest estimated error over the states that were compared

  void describe(Figures& f);
};

/// Estimated |numerical - exact| of one state of the trajectory, for each coordinate and row.
struct StateError {
  std::size_t state = 0;  ///< number of the state in the trajectory
  Eigen::VectorXd q, v, lambda;

  void describe(Figures& f);
};

/// Estimate of the global error of a run, |numerical - exact|: its difference from a companion run that is several
/// times as accurate. It does not contain errors that both runs share, of the model or of a wrong branch.
struct ErrorEstimate {
  Eigen::VectorXd q, v, lambda;          ///< errors at the last state, for each coordinate and row
  double largest_q = 0.0;                ///< largest error of a position, in natural scales of the coordinates
  double largest_v = 0.0;                ///< largest error of a velocity, in natural scales [1/s]
  double largest_lambda = 0.0;           ///< largest error of a multiplier
  std::vector<FunctionError> functions;  ///< errors of SimulationOptions::estimated_functions
  /// Errors at the states that were compared, in order of time: all recorded states with Record::at_times, about 200
  /// of them otherwise.
  std::vector<StateError> along;
  double t_compared = 0.0;  ///< time up to which both runs got [s]
  bool certain = true;      ///< false: the error may be much larger, `doubt` gives the reason
  std::string doubt;
  std::string companion;      ///< integrator and tolerances of the companion, in words
  double wall_seconds = 0.0;  ///< wall time of the companion [s]

  void describe(Figures& f);
};

}  // namespace sunlagrange
