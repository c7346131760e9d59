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

/// A table of values as a motion: the cubic spline whose third derivative does not jump at the second and the last but
/// one time, so that accelerations are right to h^2 up to the ends, where those of a natural spline (SplineTable) are
/// zero. Their error is h^2 / 12 times the fourth derivative inside and up to eleven times that at the ends. When not:
/// measured values as they are, whose noise comes out over h^2; smooth them first.
class MotionTable {
 public:
  /// Of equal length, four or more. @param times  [s], increasing
  /// @throws Error if they are not, or if an entry is not finite
  MotionTable(std::vector<double> times, std::vector<double> values);

  double begin() const { return times_.front(); }
  double end() const { return times_.back(); }

  /// s, s', s'' / 2 at begin() <= t <= end().
  Taylor<double> operator()(const Taylor<double>& t) const;

  /// How far s'' may be off, over its largest value: a third of what leaving out every second value changes of it.
  /// NaN: fewer than eight values, too few to tell.
  double acceleration_error() const;

 private:
  std::vector<double> times_, values_;
  std::vector<double> bends_;  // second derivatives at the times
};

/// A coordinate as a function of time: a table, or any law of time.
struct GivenMotion {
  std::string coordinate;
  std::variant<TimeLaw, MotionTable> law;
};

struct DriveForcesOptions {
  LinearSolverOptions linear_solver;  ///< rank policy and threshold
  /// Asked with every time: false ends the search with Outcome::interrupted. Empty: never asked.
  std::function<bool(double t)> keep_going;
};

/// A mechanism that follows given motions, and what makes it.
struct DriveForces {
  std::vector<MotionState> states;      ///< at the times, as many as were reached; lambda with the drives
  std::vector<InverseDynamics> drives;  ///< one for each state; entries in the order of the motions
  /// At each state how far a given coordinate moves over the one that moves most with it, in natural scales, the least
  /// of them: it goes to zero towards a dead point, where drives multiply every error of the motion by its inverse.
  std::vector<double> regularity;
  /// Largest MotionTable::acceleration_error(); NaN: not known.
  double table_error = std::numeric_limits<double>::quiet_NaN();
  /// finished; infeasible: from some time on the mechanism cannot follow, or the motions contradict each other;
  /// rank_loss: the motions leave something free, as at a dead point, or are more than the freedoms; model_error;
  /// interrupted. What was found before is kept. The message of a finished one tells a dead point nearby and a coarse
  /// table.
  Status status;
};

/// inverse_dynamics() along a motion of which some coordinates are given, as many as the mechanism has freedoms: the
/// others, and all velocities and accelerations, follow from the constraints, which may move,
///
///     g(t, q) = 0, q_i = s_i(t);   G v = -g_t, v_i = s_i';   G a = gamma, a_i = s_i''.
///
/// @param start  a configuration near that of the first time: which way of assembling; its t and v are not read
/// @param times  [s], increasing, at least one
/// @throws Error on a null system or a program, unknown coordinates, one given twice, none, laws with wrong parameters,
///         times that do not increase or are outside of a table
/// When not: for a motion that is not known before, or where positions follow from velocity constraints along the way
/// (refused): simulate with PrescribedCoordinate, and read its multiplier.
DriveForces drive_forces(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                         const std::vector<GivenMotion>& motions, const std::vector<double>& times,
                         const DriveForcesOptions& options = {});

}  // namespace sunlagrange
