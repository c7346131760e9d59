// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/results/trajectory.hpp>
#include <sunlagrange/stability/decay_certificate.hpp>

namespace sunlagrange {

/// Constraint error of a run, from any source. Times must not decrease.
struct ErrorHistory {
  std::vector<double> t;  ///< [s]
  Eigen::MatrixXd e;      ///< one column per time
};

/// Returns y = (g, g', psi), 2 m_g + m_psi rows, at every recorded state.
/// @param system  with the constraints that were active in the run
/// @throws Error if the trajectory is empty or does not belong to the system, or the model declines a state
ErrorHistory constraint_error_history(const Trajectory& trajectory, const MechanicalSystem& system);

/// Definitions 1 to 3 of [003], measured for one run. They are numbers, not proofs: another start may do worse.
struct Boundedness {
  // Definition 1, stability: ||y(t0)|| <= delta gave ||y(t)|| <= epsilon.
  double delta = 0.0;      ///< ||y(t0)||
  double epsilon = 0.0;    ///< largest ||y||
  double t_epsilon = 0.0;  ///< time of the largest error
  double growth = 0.0;     ///< epsilon / delta; NaN if delta = 0

  // Definition 2, asymptotic stability: the final error.
  double final_error = 0.0;  ///< last ||y||
  /// level at which the error stopped falling, the noise of the integrator; 0 if none was recognised
  double noise_floor = 0.0;
  double t_floor = 0.0;  ///< time from which the error was at the floor; NaN if it never was

  // Definition 3, exponential stability above the floor: ||y(t)|| <= overshoot ||y(t0)|| e^{-rate (t - t0)}.
  double rate = 0.0;       ///< [1/s], fitted; 0 or less if the error did not fall, NaN if it never exceeded the floor
  double overshoot = 0.0;  ///< smallest factor for which the bound holds with this rate; NaN without a rate

  /// Rate over the last half of the time above the floor, where fast modes have decayed. The run is long enough if both
  /// rates agree to 5 %; else late_rate is the better figure.
  double late_rate = 0.0;
  bool long_enough = false;  ///< the two rates agree to 5 %

  std::string verdict;  ///< the result in words
};

/// Norm, noise and limits of measured boundedness.
struct BoundednessOptions {
  /// ||y||^2 = y^T W y. Default: Euclidean, which adds m to m/s. The P of a certificate is the natural choice.
  Eigen::MatrixXd weight;

  /// Known level of noise in this norm, e.g. from a run that started on the constraints. Default: recognised from the
  /// run.
  double noise_floor = 0.0;
};

/// Measures the decay of the error. The rate is the slope of a line through the logarithm of the envelope max_{s >= t}
/// ||y(s)||, weighted by time, while the envelope is above three times the noise floor. If the error falls by less than
/// 10 % in that time, the rate is minus the rate of growth of max_{s <= t} ||y(s)||. A floor is recognised if a line
/// followed by a constant fits the envelope best, the constant lasts at least a tenth of the run, and the error there
/// falls at less than a tenth of the earlier rate and either by less than the factor e or not along a line, as a slow
/// mode would. A mode too slow to be seen within the run looks like a floor.
/// @throws Error on an empty history, sizes that do not fit, values that are not finite, times that decrease, a weight
/// that is not symmetric positive definite, a negative noise floor
Boundedness measure_boundedness(const ErrorHistory& history, const BoundednessOptions& options = {});

/// Comparison of a run with the bound of a certificate.
struct BoundCheck {
  bool respected = false;    ///< the run stayed below the bound
  double worst_ratio = 0.0;  ///< max of (||y|| - floor) / (overshoot delta e^{-rate (t - t0)}); at most 1 if respected
  double t_worst = 0.0;      ///< time of the worst ratio [s]
  double first_violation = 0.0;  ///< [s]; NaN if there is none

  /// The same ratio in the norm of the certificate, where the overshoot is 1: max of (||y||_P - floor_P) / (||y0||_P
  /// e^{...}) with floor_P = floor sqrt(lambda_max(P)).
  double worst_ratio_in_form = 0.0;
  std::string verdict;  ///< the result in words
};

/// Compares ||y(t)|| with overshoot ||y(t0)|| e^{-rate (t - t0)} + noise_floor at every recorded time, in the Euclidean
/// norm.
/// @param noise_floor  error added by the integrator, e.g. Boundedness::noise_floor; rounding of 1e-12 of the bound is
///                     always allowed
/// @throws Error as measure_boundedness; if the certificate is not certified or of another size
BoundCheck check_bound(const ErrorHistory& history, const DecayCertificate& certificate, double noise_floor);

}  // namespace sunlagrange
