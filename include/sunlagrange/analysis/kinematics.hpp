#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

struct KinematicsOptions {
  /// Dead points that are passed: behind one the driven coordinate runs backwards, on another branch.
  int max_dead_points = 0;
  double max_turn = 0.2;              ///< [rad] of the tangent within a step, in the scales of linearise()
  LinearSolverOptions linear_solver;  ///< rank threshold
  /// Asked during the search with the time at which the mechanism stands: false ends it with Outcome::interrupted,
  /// and what was found is kept. Empty: never asked.
  std::function<bool(double t)> keep_going;
};

/// A configuration, and how it changes with the driven coordinate s. With s(t): v = rate s', a = rate s'' + curvature
/// s'^2.
struct KinematicPoint {
  double s = 0.0;
  Eigen::VectorXd q;
  Eigen::VectorXd rate;       ///< dq/ds; NaN at a dead point
  Eigen::VectorXd curvature;  ///< d2q/ds2; NaN there, too

  /// State of the motion s(t); lambda is left empty, inverse_dynamics finds it. @param speed, acceleration  s', s''
  MotionState state(double t, double speed, double acceleration) const;
};

/// Where the driven coordinate cannot move on: ds = 0 while the mechanism moves along `direction`.
struct DeadPoint {
  double s = 0.0;
  Eigen::VectorXd q;
  Eigen::VectorXd direction;  ///< n, largest entry (in natural scales) 1 natural scale
};

/// A configuration in which another branch crosses: from there the mechanism can move in more than one way.
struct BranchCrossing {
  double s = 0.0;
  Eigen::VectorXd q;
};

/// Configurations between two dead points, in the order in which the mechanism passes them.
struct KinematicBranch {
  std::vector<KinematicPoint> points;  ///< at values of the grid; one at the dead point belongs to both its branches
  std::vector<DeadPoint> dead_point;   ///< at its end: none or one
  std::vector<double> unreached;       ///< values of the grid behind its end, whatever ended it
  /// Passed on the way, the tangent followed. At values of the grid within about 1e-2 natural scales of one, points are
  /// interpolated along the branch, to about 1e-11; two crossings closer than a step of the search (0.2) may be missed.
  std::vector<BranchCrossing> crossings;
};

struct Kinematics {
  std::string coordinate;
  std::vector<KinematicBranch> branches;  ///< the first one starts at the given configuration
  /// finished: every value of the grid was reached on the first branch; infeasible: not every one, or no configuration
  /// with the first value was found; uncertain_branch: branches cross on the way, and the tangent was followed, or no
  /// single way leads on; rank_loss: more than one degree of freedom; model_error; interrupted. The message tells
  /// where.
  Status status;
};

/// Kinematic analysis: all positions as functions of one driven coordinate, followed continuously along the curve
/// g(q) = 0, so that no step changes over to another way of assembling the mechanism.
/// @param start       a guess of the first configuration, at no dead point; the coordinate is put to grid.front()
/// @param coordinate  by name
/// @param grid        at least one value, ascending or descending
/// @throws Error on a null system, programs, velocity constraints (positions are then no function of a coordinate),
///         constraints that prescribe a motion, unknown names, a grid out of order
Kinematics kinematics(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                      const std::string& coordinate, const std::vector<double>& grid,
                      const KinematicsOptions& options = {});

/// Forces that make a system follow a given motion.
struct InverseDynamics {
  Eigen::VectorXd drive;   ///< one for each driven coordinate, N or N m, along it
  Eigen::VectorXd lambda;  ///< m, of least norm where rows are redundant
  double power = 0.0;      ///< [W] of all drives
  /// Largest force that neither drives nor constraints deliver, over the largest: not zero to rounding if the motion
  /// needs more drives.
  double missing = 0.0;
  Status status;  ///< finished; model_error; rank_loss: the drives are not unique, as at a dead point

  /// The drives are unique, and deliver what the constraints leave, to rounding: not at dead points, nor where branches
  /// cross and one drive is no longer enough.
  bool delivers() const;
};

/// M a + G^T lambda = f + sum of drives, solved for lambda and the drives by least squares.
/// @param motion   t, q, v, a; lambda is not read
/// @param drives   names of driven coordinates, each once
/// @throws Error on a null system, programs, wrong sizes, unknown names
InverseDynamics inverse_dynamics(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& motion,
                                 const std::vector<std::string>& drives);

}  // namespace sunlagrange
