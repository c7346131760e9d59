// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/base/enum_names.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

class Figures;

/// Treatment of the given start.
enum class Start {
  consistent,  ///< positions and velocities are projected onto the constraints
  as_given,    ///< positions and velocities are used as they are, with their violations
};

constexpr auto names_of(Start) {
  return enum_names("consistent", "as_given");
}

/// Start, rank policy and tolerances of consistent_state().
struct ConsistencyOptions {
  Start start = Start::consistent;    ///< as_given projects nothing
  LinearSolverOptions linear_solver;  ///< linear solver and rank policy
  int max_iterations = 50;            ///< most iterations on positions, and on velocities
  /// A row is satisfied if |g_i| <= tolerance x sum_j |G_ij| max|q_k|, with k over the coordinates that have the
  /// natural scale of j.
  double tolerance = 1e-9;
  /// Lower bound of max|q| in natural scales, for states in the middle of a run, where q may be near zero.
  double typical_position = 0.0;

  /// The metric that moves are short in. Empty: the mass metric, dq^T M dq. Else one positive weight for each
  /// coordinate, sum_j w_j dq_j^2, with w_j = 1 / (uncertainty of coordinate j)^2: large for measured coordinates,
  /// small for guesses. Needed for coordinates without mass on which only velocity constraints act.
  Eigen::VectorXd position_weights;
  Eigen::VectorXd velocity_weights;  ///< the same for velocities
};

/// Result of the projection onto the constraints.
struct ConsistencyReport {
  /// False: no configuration was found that satisfies the constraints (Gauss-Newton stalled with a residual above
  /// tolerance), or no velocities satisfy them because too many are fixed or rows contradict each other.
  bool feasible = true;
  /// False: the projected velocities violate the constraints beyond tolerance. The configuration is singular, too many
  /// velocities are fixed, or rows contradict each other.
  bool velocities_feasible = true;
  bool accelerations_known = true;  ///< false: the saddle-point system was singular there under the rank policy
  int iterations = 0;
  double position_violation_before = 0.0;  ///< max |g|
  double position_violation_after = 0.0;
  double velocity_violation_before = 0.0;  ///< max |(g', psi)|; not-a-number for kinematic programs
  double velocity_violation_after = 0.0;
  std::string worst_position_before;  ///< row with the largest relative |g| of the given state; empty if all are zero
  std::string worst_velocity_before;  ///< the same for (g', psi)
  double moved_positions = 0.0;       ///< max |q - q given|
  double moved_velocities = 0.0;
  /// The same in natural scales, for the positions that were given. If some positions are fixed, those left at zero
  /// count as not given, and so does an Euler parameter e0 left at 1.
  double moved_given = 0.0;
  std::string most_moved_given;     ///< the position that moved so far; empty if none did
  Eigen::VectorXd position_moves;   ///< q - q given, length n
  Eigen::VectorXd velocity_moves;   ///< v - v given, length n
  std::string most_moved;           ///< name of the position that moved most; empty if none did
  std::string most_moved_velocity;  ///< name of the coordinate whose velocity moved most
  std::string worst_constraint;     ///< row with the largest relative residual of the result
  int rank = 0;                     ///< rank of the constraint Jacobian at the result
  Status status;  ///< finished (with remarks in the message), infeasible, rank_loss or model_error, with the reason

  void describe(Figures& f);
};

/// A state on the constraints, and how far it is from the given one.
struct ConsistentState {
  MotionState state;         ///< consistent state, with v' and lambda
  ConsistencyReport report;  ///< distance from the given state, violations and outcome

  void describe(Figures& f);
};

/// Returns the consistent state nearest to the given one, in the metric W: the mass matrix, or weights of the options.
///  1. positions: Gauss-Newton steps  [W G^T; G 0] (dq, mu) = (0, -g)  until |g| is at rounding level or stalls; then
///     steps with (-W (q - q given), -g), which minimise the move (kept if they bring the state closer),
///  2. velocities: (0, -(g', psi)), repeated while psi is nonlinear in v,
///  3. accelerations and multipliers: [M G^T; G 0] (a, lambda) = (f, gamma).
/// A kinematic program determines its velocities: v given is not read, and after step 1 v, v' and lambda = mu are those
/// of the program with a = 0 (Start::as_given: those at the given point without gains). Fixed coordinates of `given` do
/// not move in steps 1 and 2: their columns of G are left out.
///
/// Gauss-Newton finds a configuration near the given one, also if there are several (elbow up or down). A start far
/// from any configuration may end in a local minimum of |g|, which is reported as infeasible. IDACalcIC is no
/// replacement above index 1: on the index-3 pendulum it reports success with a wrong multiplier. First the model is
/// examined at the given point. The result is model_error, with all problems in the message, if values are not finite,
/// if the mass matrix is not symmetric, not positive semidefinite or not constant although declared so, and for
/// coordinates without inertia and constraints.
/// @throws Error listing wrong sizes, values that are not finite, unknown names, weights that are not positive;
/// exceptions of the model pass through
ConsistentState consistent_state(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                                 const ConsistencyOptions& options = {});

}  // namespace sunlagrange
