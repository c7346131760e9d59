#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/results/trajectory.hpp>
#include <sunlagrange/stability/decay_certificate.hpp>

namespace sunlagrange {

/// Constraint error of a run. Record it wherever it comes from; times must not decrease.
struct ErrorHistory {
  std::vector<double> t;  ///< [s]
  Eigen::MatrixXd e;      ///< one column per time
};

/// y = (g, g', psi), 2 m_g + m_psi rows, at every recorded state.
/// @param system  with the constraints that were active
/// @throws Error if the trajectory is empty or does not belong to the system, or where the model declines a state
ErrorHistory constraint_error_history(const Trajectory& trajectory, const MechanicalSystem& system);

/// Definitions 1 to 3 of [003], measured for one run: numbers, not proofs; another start may do worse.
struct Boundedness {
  // Definition 1, stability: ||y(t0)|| <= delta gave ||y(t)|| <= epsilon.
  double delta = 0.0;
  double epsilon = 0.0;
  double t_epsilon = 0.0;  ///< where the largest error was
  double growth = 0.0;     ///< epsilon / delta; NaN if delta = 0

  // Definition 2, asymptotic stability: where it went.
  double final_error = 0.0;  ///< last ||y||
  double noise_floor = 0.0;  ///< level at which it stopped falling, the integrator's own noise; 0: none recognised
  double t_floor = 0.0;      ///< from when on it was there; NaN: never

  // Definition 3, exponential stability: ||y(t)|| <= overshoot ||y(t0)|| e^{-rate (t - t0)}, down to the floor.
  double rate = 0.0;       ///< [1/s], fitted; 0 or less: it did not fall; NaN: it never stood out of the floor
  double overshoot = 0.0;  ///< smallest factor that makes it true for this run with this rate; NaN without a rate

  /// The same slope over the last half of that time, where fast modes have died out. A run is long enough for its rate
  /// if both agree to 5 %; else the verdict says that it is too short, and late_rate is the better figure.
  double late_rate = 0.0;
  bool long_enough = false;

  std::string verdict;
};

struct BoundednessOptions {
  /// ||y||^2 = y^T W y. Empty: Euclidean, which adds m to m/s; a certificate's P is the natural choice.
  Eigen::MatrixXd weight;

  /// Known level of noise in this norm, e.g. from a run that started on the constraints; 0: recognised from the run.
  double noise_floor = 0.0;
};

/// Measures. The rate is the slope of a straight line through the logarithm of the envelope max_{s >= t} ||y(s)||, time
/// weighted, over the time in which the envelope is above three times the noise floor. An error that falls by less than
/// 10 % of itself in that time has the rate of growth of max_{s <= t} ||y(s)||, negative. A floor
/// is recognised where the envelope is best described by a line and then a constant, the constant lasts for a tenth of
/// the run or more, and the error there falls at less than a tenth of the rate before and either by less than the
/// factor e or without following a line: a slow mode does. A mode too slow to be seen within the run looks like a
/// floor.
/// @throws Error on an empty history, sizes that do not fit, values that are not finite, times that decrease, a weight
///         that is not symmetric positive definite, a negative noise floor
Boundedness measure_boundedness(const ErrorHistory& history, const BoundednessOptions& options = {});

/// Does a run keep what a certificate promises?
struct BoundCheck {
  bool respected = false;
  double worst_ratio = 0.0;  ///< max of (||y|| - floor) / (overshoot delta e^{-rate (t - t0)}); at most 1 if respected
  double t_worst = 0.0;
  double first_violation = 0.0;  ///< [s]; NaN: none

  /// The same in the certificate's own norm, where the overshoot is 1: max of (||y||_P - floor_P) / (||y0||_P e^{...}).
  /// floor_P = floor sqrt(lambda_max(P)).
  double worst_ratio_in_form = 0.0;
  std::string verdict;
};

/// Compares ||y(t)|| with overshoot ||y(t0)|| e^{-rate (t - t0)} + noise_floor at every recorded time, Euclidean norm.
/// @param noise_floor  what the integrator adds, e.g. Boundedness::noise_floor; relative rounding (1e-12 of the bound)
///                     is allowed anyway
/// @throws Error as measure_boundedness; if the certificate is not certified or of another size
BoundCheck check_bound(const ErrorHistory& history, const DecayCertificate& certificate, double noise_floor);

}  // namespace sunlagrange
