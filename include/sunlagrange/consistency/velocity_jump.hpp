// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

/// Rank policy and tolerance of velocity_jump().
struct VelocityJumpOptions {
  LinearSolverOptions linear_solver;  ///< linear solver and rank policy
  int max_iterations = 20;  ///< one suffices unless psi is nonlinear in v; a second one removes rounding errors
  /// A row has its required rate if |rate - required| <= tolerance x (sum_j |G_ij| |v_j| + |rates|).
  double tolerance = 1e-9;
};

/// Velocities before (-) and after (+) an impact or a change of the active constraints, at fixed t and q.
struct VelocityJump {
  Eigen::VectorXd v;         ///< v+, length n
  Eigen::VectorXd impulses;  ///< P, length m, rows (g, psi) [J s per unit of g]; the impulse on the system is -G^T P

  double kinetic_energy_before = 0.0;  ///< v-^T M v- / 2 [J]
  double kinetic_energy_after = 0.0;   ///< v+^T M v+ / 2 [J]
  double loss = 0.0;  ///< before - after; negative if moving constraints or the impact law brought energy in

  /// Work of constraints that depend on t, sum_i P_i dg_i/dt [J], such as a driven hammer; 0 if there are none.
  double support_work = 0.0;

  /// Part of the energy that the impact law itself added, -P . (rates after + rates before) / 2 [J]. Should be <= 0;
  /// after - before = support_work + law_work.
  double law_work = 0.0;
  bool energy_grew = false;  ///< law_work is positive beyond rounding: v is wrong

  double violation = 0.0;            ///< max |rate - required| over all rows after the impact
  std::string worst_constraint;      ///< name of the row of `violation`
  std::vector<std::string> opening;  ///< impact rows that were opening already (g' > 0), where no impact takes place
  std::vector<std::string> pulling;  ///< impact rows whose impulse pulls (P > 0): a real contact would have opened
  int iterations = 0;                ///< solutions of the saddle-point system
  int rank = 0;                      ///< rank of G
  Status status;                     ///< finished (with remarks in the message), infeasible, rank_loss or model_error
};

/// Returns the velocities after an instantaneous impact with Newton's restitution; the impulse is orthogonal to the
/// admissible velocities in the mass metric:
///
///     M (v+ - v-) + G^T P = 0,    (g', psi)+ = 0 for rows that are kept,    (g')+ = -e (g')- for impact rows
///
/// one saddle-point solve (Newton iterations if psi is nonlinear in v; its rows then act along dpsi/dv at v+). With no
/// impact rows it is what a joint does that locks at once: the kinetic energy that belongs to the forbidden directions
/// is lost. Use it after rows have been switched on (without_constraints) and for plastic impacts (e = 0).
///
/// When NOT to use it, [PfeifferGlocker1996]:
///  - Several impacts at once, or an impact that shakes other unilateral contacts. All rows of `system` act as if
///    welded for the instant. With e > 0 chains of touching bodies get wrong velocities, contacts may have to pull
///    (`pulling`), and kinetic energy can grow if coefficients differ or if kept rows start with a violated rate
///    (`energy_grew`). Switch off contacts that open, or resolve the impacts one after the other.
///  - Friction: impulses tangential to a contact are not modelled.
///  - Impacts that last long enough for positions or forces to change.
///
/// Kept rows whose rate was not zero before are brought to zero as well; their share of the energy is in `loss`.
///
/// @param system       all constraints that act during the impact; rows of open contacts switched off
/// @param before       t, q, and v just before; q is taken as it is
/// @param impacts      names of constraints of `system` whose g is the gap, positive when open; may be empty
/// @param restitution  e in [0, 1]: 0 plastic, 1 elastic
/// @throws Error listing every wrong size, unknown name, psi row named as an impact, coefficient outside [0, 1]; what
/// the model throws passes through
VelocityJump velocity_jump(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& before,
                           const std::vector<std::string>& impacts, double restitution,
                           const VelocityJumpOptions& options = {});

/// The same with one coefficient for each entry of `impacts`. A row that is named twice takes the later coefficient.
VelocityJump velocity_jump(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& before,
                           const std::vector<std::string>& impacts, const std::vector<double>& restitution,
                           const VelocityJumpOptions& options = {});

}  // namespace sunlagrange
