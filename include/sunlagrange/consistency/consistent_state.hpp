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

/// How the given start is treated.
enum class Start {
  consistent,  ///< positions and velocities are projected onto the constraints
  as_given,    ///< taken as they are, violations included
};

constexpr auto names_of(Start) {
  return enum_names("consistent", "as_given");
}

struct ConsistencyOptions {
  Start start = Start::consistent;
  LinearSolverOptions linear_solver;
  int max_iterations = 50;
  /// A row counts as satisfied if |g_i| <= tolerance x sum_j |G_ij| max|q_k|, k over the coordinates of the natural
  /// scale of j: unit-free.
  double tolerance = 1e-9;
  /// max|q|, in natural scales, counts as at least this; for states in the middle of a run, where q may happen to be
  /// near zero.
  double typical_position = 0.0;

  /// Which moves count as short. Empty: the mass metric, dq^T M dq. Else one positive weight for each coordinate,
  /// sum_j w_j dq_j^2, with w_j = 1 / (uncertainty of coordinate j)^2: measured coordinates heavy, guesses light.
  /// Needed if coordinates without mass are to be found that only velocity constraints hold.
  Eigen::VectorXd position_weights;
  Eigen::VectorXd velocity_weights;  ///< the same for velocities
};

/// What the projection did.
struct ConsistencyReport {
  /// false: no configuration was found that satisfies the constraints (Gauss-Newton stalled with a residual above
  /// tolerance), or no velocities: too many are fixed, or rows contradict each other.
  bool feasible = true;
  /// false: velocities violate the constraints beyond tolerance although they were projected; at a singular
  /// configuration, because too many are fixed, or because rows contradict each other.
  bool velocities_feasible = true;
  bool accelerations_known = true;  ///< false: the saddle-point system was singular there under the rank policy
  int iterations = 0;
  double position_violation_before = 0.0;  ///< max |g|
  double position_violation_after = 0.0;
  double velocity_violation_before = 0.0;  ///< max |(g', psi)|; not-a-number for kinematic programs
  double velocity_violation_after = 0.0;
  std::string worst_position_before;  ///< row with the largest relative |g| of the given state, empty if all are zero
  std::string worst_velocity_before;  ///< the same for (g', psi)
  double moved_positions = 0.0;       ///< max |q - q given|
  double moved_velocities = 0.0;
  /// The same in natural scales, of the positions that were given: where some are fixed, those left at zero (e0: 1) are
  /// to be found, and may lie anywhere.
  double moved_given = 0.0;
  std::string most_moved_given;     ///< which; empty if none did
  Eigen::VectorXd position_moves;   ///< q - q given, coordinate by coordinate
  Eigen::VectorXd velocity_moves;   ///< v - v given
  std::string most_moved;           ///< name of the position that moved most, empty if none did
  std::string most_moved_velocity;  ///< name of the coordinate whose velocity moved most
  std::string worst_constraint;     ///< row with the largest relative residual of the result
  int rank = 0;                     ///< of the constraint Jacobian at the result
  Status status;  ///< finished (message: what to doubt), infeasible, rank_loss or model_error, with a message

  void describe(Figures& f);
};

struct ConsistentState {
  MotionState state;
  ConsistencyReport report;

  void describe(Figures& f);
};

/// Consistent state nearest to the given one in the metric W, the mass matrix or weights of the options:
///  1. positions: Gauss-Newton steps  [W G^T; G 0] (dq, mu) = (0, -g)  until |g| is at rounding level or stalls; then
///     steps with (-W (q - q given), -g), which end where no shorter move does it (kept if they bring the state
///     closer),
///  2. velocities: (0, -(g', psi)), repeated while psi is nonlinear in v,
///  3. accelerations and multipliers: [M G^T; G 0] (a, lambda) = (f, gamma).
/// A kinematic program has velocities of its own: for it v given is not read, and after 1 v, v' and lambda = mu are
/// those of the program with a = 0 on f = 0; with Start::as_given, of the given point without the gains. Fixed
/// coordinates of `given` take no part in 1 or 2: their columns of G are left out.
///
/// Gauss-Newton finds a configuration near the given one; of several assemblies (elbow up or down) it takes the one it
/// slides into. A start far from any configuration may end in a local minimum of |g|, which is reported as infeasible.
/// IDACalcIC is no replacement above index 1: on the index-3 pendulum it reports success with a wrong multiplier.
/// First the model is examined at the given point: values that are not finite, a mass matrix that is not symmetric, not
/// positive semidefinite or, against its word, not constant, and coordinates without inertia and constraints end as
/// model_error, with all of them in the message.
/// @throws Error listing wrong sizes, values that are not finite, unknown names, weights that are not positive; what
/// the model throws passes through
ConsistentState consistent_state(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& given,
                                 const ConsistencyOptions& options = {});

}  // namespace sunlagrange
