// SPDX-License-Identifier: BSD-3-Clause
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

class Figures;

/// Dead points and steps of kinematics().
struct KinematicsOptions {
  /// Number of dead points that are passed. Behind a dead point the driven coordinate runs backwards on another branch.
  int max_dead_points = 0;
  double max_turn = 0.2;              ///< [rad] turn of the tangent within a step, in the scales of linearise()
  LinearSolverOptions linear_solver;  ///< rank threshold
  /// Asked during the search with the time of the configuration. False ends the search with Outcome::interrupted; what
  /// was found is kept. Default: never asked.
  std::function<bool(double t)> keep_going;
};

/// A configuration and its derivatives by the driven coordinate s. For a motion s(t): v = rate s', a = rate s'' +
/// curvature s'^2.
struct KinematicPoint {
  double s = 0.0;
  Eigen::VectorXd q;
  Eigen::VectorXd rate;       ///< dq/ds; NaN at a dead point
  Eigen::VectorXd curvature;  ///< d2q/ds2; NaN at a dead point

  /// Returns the state of a motion s(t). lambda stays empty; inverse_dynamics() computes it.
  /// @param speed, acceleration  s', s''
  MotionState state(double t, double speed, double acceleration) const;

  void describe(Figures& f);
};

/// A configuration where the driven coordinate cannot move on: ds = 0 while the mechanism moves along `direction`.
struct DeadPoint {
  double s = 0.0;
  Eigen::VectorXd q;
  Eigen::VectorXd direction;  ///< n; its largest entry is one natural scale

  void describe(Figures& f);
};

/// A configuration in which another branch crosses, so the mechanism can move on in more than one way.
struct BranchCrossing {
  double s = 0.0;
  Eigen::VectorXd q;

  void describe(Figures& f);
};

/// Configurations between two dead points, in the order in which the mechanism passes them.
struct KinematicBranch {
  std::vector<KinematicPoint> points;  ///< points at values of the grid; one at a dead point belongs to both branches
  std::vector<DeadPoint> dead_point;   ///< dead point at the end of the branch: none or one
  std::vector<double> unreached;       ///< values of the grid behind the end of the branch
  /// Crossings that were passed along the tangent. Points at values of the grid within about 1e-2 natural scales of a
  /// crossing are interpolated along the branch, to about 1e-11. Two crossings closer than a step of the search (0.2)
  /// may be missed.
  std::vector<BranchCrossing> crossings;

  void describe(Figures& f);
};

/// Positions over a driven coordinate, in branches that dead points separate.
struct Kinematics {
  std::string coordinate;
  std::vector<KinematicBranch> branches;  ///< the first one starts at the given configuration
  /// finished: every value of the grid was reached on the first branch; infeasible: a value was not reached, or there
  /// is no configuration with the first value; uncertain_branch: branches cross and the tangent was followed, or there
  /// is no unique continuation; rank_loss: more than one degree of freedom; model_error; interrupted. The message
  /// states where.
  Status status;

  void describe(Figures& f);
};

/// Kinematic analysis: returns all positions as functions of one driven coordinate. The curve g(q) = 0 is followed
/// continuously, so no step changes over to another branch.
/// @param start       a guess of the first configuration, which is no dead point; the coordinate is set to grid.front()
/// @param coordinate  name of the driven coordinate
/// @param grid        at least one value, ascending or descending
/// @throws Error on a null system, kinematic programs, velocity constraints (positions are then not a function of a
/// coordinate), constraints that prescribe a motion, unknown names, a grid out of order
Kinematics kinematics(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                      const std::string& coordinate, const std::vector<double>& grid,
                      const KinematicsOptions& options = {});

/// Forces of drives and constraints that make a system follow a given motion.
struct InverseDynamics {
  Eigen::VectorXd drive;   ///< one for each driven coordinate, N or N m, along the coordinate
  Eigen::VectorXd lambda;  ///< m; of least norm where rows are redundant
  double power = 0.0;      ///< [W] of all drives
  /// Largest force that neither drives nor constraints supply, relative to the largest force. If it is above rounding,
  /// the motion needs more drives.
  double missing = 0.0;
  Status status;  ///< finished; model_error; rank_loss: the drives are not unique, as at a dead point

  /// Returns true if the drives are unique and supply, to rounding, what the constraints do not. This is not so at dead
  /// points, nor where branches cross and one drive is not enough.
  bool delivers() const;

  void describe(Figures& f);
};

/// Solves M a + G^T lambda = f + sum of drives for lambda and the drives by least squares.
/// @param motion   t, q, v, a; lambda is not used
/// @param drives   names of driven coordinates, each once
/// @throws Error on a null system, kinematic programs, wrong sizes, unknown names
InverseDynamics inverse_dynamics(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& motion,
                                 const std::vector<std::string>& drives);

}  // namespace sunlagrange
