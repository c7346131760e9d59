#pragma once

#include <memory>
#include <string>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>
#include <sunlagrange/options.hpp>
#include <sunlagrange/status.hpp>

namespace sunlagrange {

/// How the given start is treated.
enum class Start {
  consistent,  ///< positions and velocities are projected onto the constraints
  as_given,    ///< taken as they are, violations included
};

struct ConsistencyOptions {
  Start start = Start::consistent;
  LinearSolverOptions linear_solver;
  int max_iterations = 50;
  /// A row counts as satisfied if |g_i| <= tolerance x (sum_j |G_ij| x max|q|): unit-free.
  double tolerance = 1e-9;
};

/// What the projection did.
struct ConsistencyReport {
  bool feasible = true;             ///< false: Gauss-Newton stalled with a residual above tolerance at this time
  bool accelerations_known = true;  ///< false: the saddle-point system was singular there under the rank policy
  int iterations = 0;
  double position_violation_before = 0.0;  ///< max |g|
  double position_violation_after = 0.0;
  double velocity_violation_before = 0.0;  ///< max |(g', psi)|
  double velocity_violation_after = 0.0;
  double moved_positions = 0.0;  ///< max |q - q given|
  double moved_velocities = 0.0;
  std::string most_moved;        ///< name of the position that moved most, empty if none did
  std::string worst_constraint;  ///< row with the largest relative residual
  int rank = 0;                  ///< of the constraint Jacobian at the result
  Status status;                 ///< finished, infeasible, rank_loss or model_error, with the story
};

struct ConsistentState {
  MotionState state;
  ConsistencyReport report;
};

/// Consistent state nearest to the given one in the mass metric:
///  1. positions: Gauss-Newton steps  [M G^T; G 0] (dq, mu) = (0, -g)  until |g| is at rounding level or stalls,
///  2. velocities: the same system with (g', psi); repeated while psi is nonlinear in v,
///  3. accelerations and multipliers: [M G^T; G 0] (a, lambda) = (f, gamma).
/// IDACalcIC is no replacement above index 1: on the index-3 pendulum it reports success with a wrong multiplier.
/// @throws Error on wrong sizes or values that are not finite; what the model throws passes through
ConsistentState consistent_state(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                                 const ConsistencyOptions& options = {});

}  // namespace sunlagrange
