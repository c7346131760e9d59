// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/analysis/kinematics.hpp>

#include <cmath>
#include <optional>

#include <sunlagrange/base/setting.hpp>

#include "analysis/geometry/constraint_curve.hpp"
#include "analysis/shared/one_coordinate.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

void check(const std::shared_ptr<const MechanicalSystem>& system, const std::vector<double>& grid,
           const KinematicsOptions& options) {
  require_positions_alone(system, options, "kinematics");
  if (grid.empty()) throw Error("kinematics: the grid is empty; give the values of the coordinate");
  for (std::size_t i = 1; i < grid.size(); ++i) {
    if (!std::isfinite(grid[i]) || (grid[i] > grid[i - 1]) != (grid[1] > grid[0]) || grid[i] == grid[i - 1])
      throw Error("kinematics: the grid is not strictly ascending or descending at value " + std::to_string(i) + ", " +
                  text(grid[i]));
  }
  if (options.max_dead_points < 0)
    throw Error("kinematics: max_dead_points = " + std::to_string(options.max_dead_points) + ": must not be negative");
}

}  // namespace

MotionState KinematicPoint::state(double t, double speed, double acceleration) const {
  return {t, q, rate * speed, rate * acceleration + curvature * (speed * speed), {}, 0.0};
}

Kinematics kinematics(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                      const std::string& coordinate, const std::vector<double>& grid,
                      const KinematicsOptions& options) {
  check(system, grid, options);
  Kinematics result;
  const int driven = one_coordinate(*system, coordinate, "kinematics");
  result.coordinate = system->position_name(driven);
  InitialState first = start;
  if (first.q.size() > driven) first.q[driven] = grid.front();
  std::optional<ConstraintCurve> curve;
  const std::optional<Eigen::VectorXd> x = begin_curve(curve, system, first, {driven}, options, "kinematics",
                                                       "hold the others with constraints", result.status);
  if (x) follow_curve(*curve, *x, grid, options, result);
  return result;
}

}  // namespace sunlagrange
