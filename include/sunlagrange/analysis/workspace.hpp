#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/kinematics.hpp>
#include <sunlagrange/base/enum_names.hpp>

namespace sunlagrange {

/// Values of a driven coordinate: `count` of them, equidistant, the ends among them.
struct DrivenRange {
  std::string coordinate;
  double from = 0.0, to = 0.0;
  int count = 21;
};

/// What a joint or an actuator allows.
struct CoordinateLimits {
  std::string coordinate;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

struct WorkspaceOptions {
  /// Of the point in the axes of its body [m]; zero: the reference point. For points of planar and spatial bodies.
  Eigen::Vector3d offset = Eigen::Vector3d::Zero();
  std::vector<CoordinateLimits> limits;  ///< of any coordinates; combinations outside are not passed through
  /// Below this share of the largest manipulability, less what dead points of the drives amplify, places are singular.
  double singular_share = 1e-3;
  double max_turn = 0.2;                     ///< as KinematicsOptions
  LinearSolverOptions linear_solver;         ///< rank threshold
  std::function<bool(double t)> keep_going;  ///< as KinematicsOptions
};

/// What became of a combination of driven values.
enum class Reach {
  unreached,       ///< no way from the start leads there without passing a dead point or a crossing of branches
  reached,         ///< the point can move in every direction that the drives give it
  singular,        ///< reached, and there some direction is lost
  outside_limits,  ///< reached, but a coordinate is outside its limits
};

constexpr auto names_of(Reach) {
  return enum_names("unreached", "reached", "singular", "outside_limits");
}

struct WorkspacePoint {
  Reach reach = Reach::unreached;
  Eigen::VectorXd s;      ///< of the driven coordinates, in their order
  Eigen::VectorXd q;      ///< empty if it was not reached
  Eigen::VectorXd place;  ///< of the point, 2 or 3 entries [m]; the same
  /// Smallest singular value of d place / d s, s counted in natural scales; NaN: unreached, or at a dead point.
  double manipulability = std::numeric_limits<double>::quiet_NaN();
};

/// Where the set of places may end.
struct WorkspaceBoundary {
  enum class Kind {
    end_of_range,  ///< of a driven coordinate
    singular,      ///< the determinant of d place / d s changes its sign: the point turns back
    dead_point,    ///< a driven coordinate cannot move on
    limit,         ///< the neighbouring combination is outside the limits
  };
  Kind kind = Kind::end_of_range;
  Eigen::VectorXd s, q, place;
};

constexpr auto names_of(WorkspaceBoundary::Kind) {
  return enum_names("end_of_range", "singular", "dead_point", "limit");
}

struct MechanismWorkspace {
  std::vector<std::string> driven;
  std::vector<std::vector<double>> grid;     ///< values of each
  std::vector<std::string> point;            ///< names of the entries of a place
  std::vector<WorkspacePoint> points;        ///< every combination, the last driven coordinate changing fastest
  std::vector<WorkspaceBoundary> boundary;   ///< candidates: of them the outermost bound the set
  std::vector<std::vector<double>> missing;  ///< for each driven coordinate the values that no combination reaches
  int crossings = 0;                         ///< ways between neighbouring combinations that end where branches cross
  /// finished: the search ended, and the message tells what was not reached; infeasible: nothing was; rank_loss: the
  /// start has other degrees of freedom than the driven coordinates; uncertain_branch, model_error, interrupted: as
  /// kinematics()
  Status status;

  long count(Reach reach) const;
};

/// Workspace of a mechanism: the places of a point while the driven coordinates go over their ranges. From the start
/// every combination is reached over its neighbours as kinematics() follows a grid, so the way of assembling it is that
/// of the start: other branches, behind dead points, are other workspaces. Each combination is reached once.
/// @param start   a configuration or a guess of one, the driven coordinates as given
/// @param point   coordinates by name, two or three in all; the name of a block stands for its translations: "hand.x",
///                "hand.y" or "hand"
/// @param driven  as many as there are degrees of freedom, each with at least 2 values
/// @throws Error as kinematics(); on a point that has no place, ranges without values, unknown names
/// Boundaries inside a cell of the grid are found only where the determinant changes its sign, and for as many driven
/// coordinates as a place has entries. [GosselinAngeles1990]
/// When not: more than three driven coordinates (combinations multiply); orientations (drive them as well).
MechanismWorkspace workspace(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                             const std::vector<std::string>& point, const std::vector<DrivenRange>& driven,
                             const WorkspaceOptions& options = {});

}  // namespace sunlagrange
