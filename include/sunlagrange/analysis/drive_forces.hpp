#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/analysis/kinematics.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/laws.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

/// A coordinate as a function of time: any law, e.g. SplineTable(times, values) for a table.
struct GivenMotion {
  std::string coordinate;
  TimeLaw law;
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
  /// finished; infeasible: from some time on the mechanism cannot follow, or the motions contradict each other;
  /// rank_loss: the motions leave something free, as at a dead point; model_error; interrupted. What was found before
  /// is kept.
  Status status;
};

/// inverse_dynamics() along a motion of which some coordinates are given, as many as the mechanism has freedoms: the
/// others, and all velocities and accelerations, follow from the constraints, which may move,
///
///     g(t, q) = 0, q_i = s_i(t);   G v = -g_t, v_i = s_i';   G a = gamma, a_i = s_i''.
///
/// @param start  a configuration near that of the first time: which way of assembling; its t and v are not read
/// @param times  [s], increasing, at least one
/// @throws Error on a null system or a program, unknown coordinates, one given twice, none, times that do not increase
/// When not: for a motion that is not known before (simulate with PrescribedCoordinate, and read its multiplier); a
/// table needs values whose second derivative means something: smooth measured ones first.
DriveForces drive_forces(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                         const std::vector<GivenMotion>& motions, const std::vector<double>& times,
                         const DriveForcesOptions& options = {});

}  // namespace sunlagrange
