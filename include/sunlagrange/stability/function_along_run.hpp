// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/results/trajectory.hpp>

namespace sunlagrange {

/// A smooth function V(t, q, v) of the user, e.g. a candidate for a Lyapunov function. It is also evaluated slightly
/// beside the motion.
using StateFunction = std::function<double(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v)>;

/// Rate that is examined, and points per step.
struct FunctionAlongRunOptions {
  double rate = 0.0;  ///< [1/s]; the condition examined is dV/dt <= -rate V

  /// Points per step. 1 takes the recorded states; more adds equidistant points of the dense output between them, whose
  /// acceleration is less accurate (O(h^4)).
  int points_per_step = 1;

  /// Step of the differences [s]. Default: 1e-3 of the shortest time scale of the run (max|q|/max|v|, max|v|/max|a|,
  /// the length of the run). Give it if V depends on t faster than that.
  double difference_step = 0.0;
};

/// V and dV/dt along a run.
struct FunctionAlongRun {
  std::vector<double> t;           ///< times of the points [s], not decreasing
  std::vector<double> value;       ///< V
  std::vector<double> derivative;  ///< dV/dt along q' = v, v' = a
  std::vector<double> error;       ///< estimated error of the differences for dV/dt

  double max_value = 0.0;         ///< largest V
  double t_max_value = 0.0;       ///< time of it [s]
  double min_value = 0.0;         ///< below zero: the function is not definite
  double max_derivative = 0.0;    ///< largest dV/dt
  double t_max_derivative = 0.0;  ///< time of it [s]
  double max_error = 0.0;         ///< largest of `error`

  /// First time at which dV/dt > -rate V by more than the estimated error; NaN if there is none.
  double first_increase = 0.0;
  std::string verdict;  ///< the result in words
};

/// Evaluates V and its derivative along a recorded run. dV/dt is the derivative along (1, v, a), with the recorded
/// acceleration a of the formulation, by fourth-order differences along t + s, q + s v + s^2 a/2, v + s a. Its error is
/// estimated from a coarser difference at every point. The error of a itself, which multistep integrators know to about
/// rtol |a| or a few digits less, is not included. Both sides of a restart after an event are evaluated; a jump of V
/// there is not part of the derivative.
/// @throws Error if the trajectory is empty, an option is out of range, or V is not finite (with the time)
FunctionAlongRun function_along_run(const Trajectory& trajectory, const StateFunction& V,
                                    const FunctionAlongRunOptions& options = {});

/// Returns V = y^T P y with y = (g, g', psi) of the system and the form P of a certificate. Its value is NaN where the
/// model declines the point. Use one instance per thread.
/// @throws Error unless P is square of size 2 m_g + m_psi
StateFunction constraint_error_form(const std::shared_ptr<const MechanicalSystem>& system, const Eigen::MatrixXd& P);

}  // namespace sunlagrange
