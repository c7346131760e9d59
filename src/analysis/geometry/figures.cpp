// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/drive_forces.hpp>
#include <sunlagrange/analysis/workspace.hpp>
#include <sunlagrange/base/figures.hpp>

/// The descriptions of kinematic analyses, workspaces and drive forces.
namespace sunlagrange {

void KinematicPoint::describe(Figures& f) {
  f("s", s, "unit of s", "driven coordinate");
  f("q", q, "unit of q", "positions");
  f("rate", rate, "unit of q over unit of s", "dq/ds; none at a dead point");
  f("curvature", curvature, "unit of q over unit of s^2", "d2q/ds2; none at a dead point");
}

void DeadPoint::describe(Figures& f) {
  f("s", s, "unit of s", "driven coordinate");
  f("q", q, "unit of q", "positions");
  f("direction", direction, "natural scale", "motion with ds = 0; the largest entry is 1 natural scale");
}

void BranchCrossing::describe(Figures& f) {
  f("s", s, "unit of s", "driven coordinate");
  f("q", q, "unit of q", "positions");
}

void KinematicBranch::describe(Figures& f) {
  f.table("points", points, "configurations at values of the grid");
  f.derived("dead_point", dead_point.empty() ? std::nullopt : std::optional<DeadPoint>(dead_point.front()),
            "dead point at the end of the branch");
  f("unreached", unreached, "unit of s", "values of the grid beyond the end of the branch");
  f("crossings", crossings, "configurations in which another branch crosses");
}

void Kinematics::describe(Figures& f) {
  status.describe(f);
  f("coordinate", coordinate, "driven coordinate, s");
  f("branches", branches, "branches of the configuration; the first one begins at the start");
}

void InverseDynamics::describe(Figures& f) {
  status.describe(f);
  f("drive", drive, "N or N m", "force of each drive");
  f("lambda", lambda, "unit of lambda", "multipliers");
  f("power", power, "W", "power of all drives");
  f("missing", missing, "1", "largest force that nothing delivers over the largest force");
  f.derived("delivers", delivers(), "true if the drives are unique and deliver the forces of the motion");
}

void WorkspacePoint::describe(Figures& f) {
  f("reach", reach, "what became of the combination of driven values");
  f("s", s, "unit of s", "driven coordinates");
  f("q", q, "unit of q", "positions; empty: not reached");
  f("place", place, "m", "place of the point; empty: not reached");
  f("manipulability", manipulability, "1", "smallest singular value of d place / d s; none: not known");
}

void WorkspaceBoundary::describe(Figures& f) {
  f("kind", kind, "why the set of places may end there");
  f("s", s, "unit of s", "driven coordinates");
  f("q", q, "unit of q", "positions");
  f("place", place, "m", "place of the point");
}

void MechanismWorkspace::describe(Figures& f) {
  status.describe(f);
  f("point", point, "names of the entries of a place");
  f("driven", driven, "driven coordinates");
  f("grid", grid, "unit of s", "values of each driven coordinate");
  f.table("points", points, "every combination; the last driven coordinate changes fastest");
  f.table("boundary", boundary, "candidates for the boundary of the set of places");
  f("missing", missing, "unit of s", "of each driven coordinate, the values that no combination reaches");
  f("crossings", crossings, "paths between neighbouring combinations that end where branches cross");
}

namespace {

/// One time of a given motion.
struct DrivenPoint {
  MotionState state;
  InverseDynamics drives;
  double regularity = 0.0;

  void describe(Figures& f) {
    state.describe(f);
    f("drive", drives.drive, "N or N m", "force of each drive");
    f("power", drives.power, "W", "power of all drives");
    f("missing", drives.missing, "1", "largest force that nothing delivers over the largest force");
    f("regularity", regularity, "1", "motion of a given coordinate over the largest one; 0 at a dead point");
  }
};

}  // namespace

void DriveForces::describe(Figures& f) {
  status.describe(f);
  std::vector<DrivenPoint> points;
  for (std::size_t k = 0; k < drives.size(); ++k) points.push_back({states[k], drives[k], regularity[k]});
  f.table("points", points, "states and drives at the times that were reached");
  f("table_error", table_error, "1", "largest error of the accelerations of the tables, relative; none: not known");
}

}  // namespace sunlagrange
