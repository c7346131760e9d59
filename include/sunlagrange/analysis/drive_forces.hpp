// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <sunlagrange/analysis/kinematics.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/derivatives/dual.hpp>
#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

class Figures;

/// A motion given by a table of values: the cubic spline with the not-a-knot condition (the third derivative is
/// continuous at the second and the last but one time). Its accelerations are accurate to O(h^2) up to the ends, where
/// those of a natural spline (SplineTable) are zero. The error is h^2 / 12 times the fourth derivative inside and up to
/// eleven times that at the ends.
/// When not to use it: for raw measurements, whose noise is amplified by 1 / h^2; smooth them first.
class MotionTable {
 public:
  /// @param times  [s], increasing, at least four
  /// @param values  one for each time
  /// @throws Error if the lengths differ or are too small, the times do not increase, or an entry is not finite
  MotionTable(std::vector<double> times, std::vector<double> values);

  double begin() const { return times_.front(); }  ///< first time [s]
  double end() const { return times_.back(); }     ///< last time [s]

  /// Returns s, s', s'' / 2 at begin() <= t <= end().
  Taylor<double> operator()(const Taylor<double>& t) const;

  /// Returns the estimated error of s'' relative to its largest value: a third of the change that comes from leaving
  /// out every second value. NaN with fewer than eight values.
  double acceleration_error() const;

 private:
  std::vector<double> times_, values_;
  std::vector<double> bends_;  // second derivatives at the times
};

/// A driven coordinate as a function of time: a table, or any law of time.
struct GivenMotion {
  std::string coordinate;                  ///< name of the driven coordinate
  std::variant<TimeLaw, MotionTable> law;  ///< value of the coordinate, in its unit
};

/// Rank policy and interruption of drive_forces().
struct DriveForcesOptions {
  LinearSolverOptions linear_solver;  ///< rank policy and threshold
  /// Asked before every time. False ends the search with Outcome::interrupted. Default: never asked.
  std::function<bool(double t)> keep_going;
};

/// A mechanism that follows given motions, and the forces of its drives.
struct DriveForces {
  std::vector<MotionState> states;  ///< states at the times that were reached; lambda includes the effect of the drives
  std::vector<InverseDynamics> drives;  ///< one for each state, with entries in the order of the motions
  /// For each state the smallest ratio, over the given coordinates, of the motion of that coordinate to the largest
  /// motion that it causes, in natural scales. It tends to zero towards a dead point, where drives amplify every error
  /// of the motion by its inverse.
  std::vector<double> regularity;
  /// largest MotionTable::acceleration_error(); NaN if unknown
  double table_error = std::numeric_limits<double>::quiet_NaN();
  /// finished; infeasible: the mechanism cannot follow, or the motions contradict each other; rank_loss: the motions
  /// leave a degree of freedom open, as at a dead point, or are too many; model_error; interrupted. States before the
  /// failure are kept. The message of a finished search warns of a dead point nearby and of a coarse table.
  Status status;

  void describe(Figures& f);
};

/// Returns the drive forces along a motion of which as many coordinates are given as the mechanism has degrees of
/// freedom. The other coordinates, all velocities and all accelerations follow from the constraints, which may depend
/// on time:
///
///     g(t, q) = 0, q_i = s_i(t);   G v = -g_t, v_i = s_i';   G a = gamma, a_i = s_i''.
///
/// @param start  a configuration near that of the first time, which selects the branch; its t and v are not used
/// @param times  [s], increasing, at least one
/// @throws Error on a null system or a kinematic program, on coordinates that are unknown or given twice, on no motion
/// at all, on laws with invalid parameters, and on times that do not increase or lie outside a table
/// When not to use it: for motions that are not known in advance, and where positions follow from velocity constraints
/// (this is refused). Then simulate with PrescribedCoordinate and read its multiplier.
DriveForces drive_forces(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                         const std::vector<GivenMotion>& motions, const std::vector<double>& times,
                         const DriveForcesOptions& options = {});

}  // namespace sunlagrange
