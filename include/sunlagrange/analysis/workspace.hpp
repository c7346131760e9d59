// SPDX-License-Identifier: BSD-3-Clause
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

class Figures;

/// Values of a driven coordinate: `count` equidistant values, both ends included.
struct DrivenRange {
  std::string coordinate;       ///< name of the driven coordinate
  double from = 0.0, to = 0.0;  ///< ends of the range, in the unit of the coordinate
  int count = 21;               ///< number of values, at least 2
};

/// The range that a joint or an actuator allows.
struct CoordinateLimits {
  std::string coordinate;                                   ///< any coordinate, driven or not
  double lower = -std::numeric_limits<double>::infinity();  ///< least value, in the unit of the coordinate
  double upper = std::numeric_limits<double>::infinity();   ///< largest value, in the unit of the coordinate
};

/// Point, limits and thresholds of workspace().
struct WorkspaceOptions {
  /// The point in the axes of its body [m]. Default: the reference point. Only for planar and spatial bodies.
  Eigen::Vector3d offset = Eigen::Vector3d::Zero();
  std::vector<CoordinateLimits> limits;  ///< limits of any coordinates; what lies outside is reached but not passed
  /// A combination is singular if its manipulability is below this share of the largest one, which is corrected for the
  /// amplification near dead points of the drives.
  double singular_share = 1e-3;
  double max_turn = 0.2;                     ///< see KinematicsOptions
  LinearSolverOptions linear_solver;         ///< rank threshold
  std::function<bool(double t)> keep_going;  ///< see KinematicsOptions
};

/// Result for one combination of driven values.
enum class Reach {
  unreached,       ///< every path from the start meets a dead point or a crossing of branches
  reached,         ///< the point can move in every direction that the drives give it
  singular,        ///< reached, but the point cannot move in some direction there
  outside_limits,  ///< reached, but a coordinate is outside its limits
};

constexpr auto names_of(Reach) {
  return enum_names("unreached", "reached", "singular", "outside_limits");
}

/// One combination of driven values.
struct WorkspacePoint {
  Reach reach = Reach::unreached;
  Eigen::VectorXd s;      ///< values of the driven coordinates, in their order
  Eigen::VectorXd q;      ///< empty if the combination was not reached
  Eigen::VectorXd place;  ///< position of the point, 2 or 3 entries [m]; empty if it was not reached
  /// Smallest singular value of d place / d s with s in natural scales; NaN if unreached or at a dead point.
  double manipulability = std::numeric_limits<double>::quiet_NaN();

  void describe(Figures& f);
};

/// A candidate for the boundary of the set of places.
struct WorkspaceBoundary {
  /// Reasons for which a place may belong to the boundary.
  enum class Kind {
    end_of_range,  ///< end of the range of a driven coordinate
    singular,      ///< the determinant of d place / d s changes sign: the point turns back
    dead_point,    ///< a driven coordinate cannot move on
    limit,         ///< the neighbouring combination is outside the limits
  };
  Kind kind = Kind::end_of_range;
  Eigen::VectorXd s, q, place;

  void describe(Figures& f);
};

constexpr auto names_of(WorkspaceBoundary::Kind) {
  return enum_names("end_of_range", "singular", "dead_point", "limit");
}

/// The places that a point reaches, and the candidates for their boundary.
struct MechanismWorkspace {
  std::vector<std::string> driven;
  std::vector<std::vector<double>> grid;     ///< values of each driven coordinate
  std::vector<std::string> point;            ///< names of the entries of a place
  std::vector<WorkspacePoint> points;        ///< all combinations; the last driven coordinate varies fastest
  std::vector<WorkspaceBoundary> boundary;   ///< candidates; the outermost of them bound the set
  std::vector<std::vector<double>> missing;  ///< for each driven coordinate, the values that no combination reaches
  int crossings = 0;  ///< paths between neighbouring combinations that end at a crossing of branches
  /// finished: the search ended, and the message states what was not reached; infeasible: nothing was reached;
  /// rank_loss: the number of degrees of freedom differs from that of the driven coordinates; uncertain_branch,
  /// model_error, interrupted: as kinematics()
  Status status;

  long count(Reach reach) const;  ///< number of combinations with this result

  void describe(Figures& f);
};

/// Returns the workspace of a mechanism: the places of a point while the driven coordinates run through their ranges.
/// Every combination of values is reached once, from a neighbour, in the way kinematics() follows a grid; so all lie on
/// the branch of the start. Other branches, behind dead points, have other workspaces.
/// @param start   a configuration or a guess of one, with the driven coordinates as given
/// @param point   two or three coordinates by name; the name of a block stands for its translations: "hand.x", "hand.y"
///               or "hand"
/// @param driven  one for each degree of freedom, with at least 2 values each
/// @throws Error as kinematics(); on a point that has no place, ranges without values, unknown names
/// Boundaries inside a cell of the grid are found only where the determinant changes sign, which requires as many
/// driven coordinates as a place has entries. [GosselinAngeles1990]
/// When not to use it: for more than three driven coordinates, because the combinations multiply; for orientations,
/// unless they are driven.
MechanismWorkspace workspace(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                             const std::vector<std::string>& point, const std::vector<DrivenRange>& driven,
                             const WorkspaceOptions& options = {});

}  // namespace sunlagrange
