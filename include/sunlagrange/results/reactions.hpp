// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/formulation/options.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

class Figures;

/// Constraint forces and violations at one state (t, q, v). The multipliers of a stabilised formulation have two parts,
/// [003, (1.18)]:
///
///     lambda = ideal + stabilizing,     M a + G^T lambda = f + m2.
///
/// `ideal` is the physical reaction, the multiplier of [M G^T; G 0] (a, lambda) = (f, gamma). `stabilizing` is the
/// control force that the gains, and the compliance of penalty forms, add to reduce the violation. It is zero in
/// `unstabilized`, `projected` and the index-2 and index-3 forms, and on the constraints in `baumgarte`. m2 is the
/// tangential force of [003, (1.15)], zero but for `extended_lagrangian` with an ExcessEnergy that depends on the
/// state. The lambda_1 and lambda_2 of (1.18) are together `stabilizing`.
///
/// Sign: the force on the coordinates is -G^T lambda. Rows: (g, psi), named by MechanicalSystem::constraint_name.
/// If constraints are redundant (rank < m), G^T lambda, the violations and the accelerations are unique, and `unique`
/// marks the multipliers that are. The others are those for which the forces of the rows have the least sum of squares.
/// The force of a row is that on a body or a point, or its torque over a length of the mechanism if it exerts torques
/// only, so that units, scalings of rows and reference points do not count. Rows that exert no force, such as the norm
/// of Euler parameters, do not count either. In generic blocks it is the least sum of lambda_i^2.
struct Reactions {
  double t = 0.0;
  Eigen::VectorXd ideal;        ///< m, J per unit of g
  Eigen::VectorXd stabilizing;  ///< m

  Eigen::VectorXd generalized_force;  ///< -G^T ideal, n; N or N m
  Eigen::VectorXd stabilizing_force;  ///< -G^T stabilizing, n

  Eigen::VectorXd tangential_force;  ///< m2 of excess_energy.hpp, n; O(g^2 + g'^2 + psi^2); N or N m

  Eigen::VectorXd acceleration;        ///< v' of the formulation, stabilising terms included, n
  Eigen::VectorXd ideal_acceleration;  ///< v' without them, n

  Eigen::VectorXd position_violation;      ///< g, m_g
  Eigen::VectorXd velocity_violation;      ///< (g', psi), m
  Eigen::VectorXd acceleration_violation;  ///< (g'', psi') at `acceleration`, m

  Eigen::SparseMatrix<double> jacobian;  ///< G, m x n
  int rank = 0;                          ///< constraint directions that the rank policy kept
  std::vector<bool> unique;              ///< m: true if the motion determines the multiplier

  /// finished; rank_loss under the policy strict (not for forms with a compliance) or for a singular saddle-point
  /// matrix; model_error if the model declined the point or is not finite. Unless finished, only t and names are set.
  Status status;

  std::vector<std::string> names;  ///< names of the rows

  /// Returns the rows of a constraint: `name` itself, or all rows of the element `name` ("name[0]", "name.x", ...).
  /// @throws Error listing the known names
  std::vector<int> rows(const std::string& name) const;

  /// Returns the ideal or stabilising multipliers of a constraint, one entry for each of its rows.
  Eigen::VectorXd ideal_of(const std::string& name) const;
  /// The part of the multipliers that stabilising terms add.
  Eigen::VectorXd stabilizing_of(const std::string& name) const;

  /// Returns the physical force of one constraint on the coordinates, n: -G^T ideal with its rows only.
  Eigen::VectorXd force_of(const std::string& name) const;

  void describe(Figures& f);
};

/// Evaluates Reactions at many states, e.g. along a Trajectory. The constructor makes one formulation. Use one instance
/// for each thread.
class ReactionEvaluator {
 public:
  /// @param start  the start of the run, from which automatic gains and Lambda follow; it is not projected
  /// @param options  the options of the run
  /// @throws Error on sizes that do not fit, unknown names, a formulation that cannot treat the system
  ReactionEvaluator(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                    const FormulationOptions& options = {});
  ReactionEvaluator(ReactionEvaluator&&) noexcept;
  ReactionEvaluator& operator=(ReactionEvaluator&&) noexcept;
  ~ReactionEvaluator();

  /// @throws Error on wrong sizes; what the model throws
  Reactions at(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Returns the reactions at one state, which is also taken for the start of the run.
Reactions reactions(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& state,
                    const FormulationOptions& options = {});

/// Force and torque of one joint on one body or one coordinate, in ground axes. z is normal to the plane of a planar
/// body.
struct JointForce {
  std::string joint;                                 ///< name of the element
  std::string body;                                  ///< block of coordinates
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   ///< on the body [N]
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< reference point of the body, in the ground [m]
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();  ///< on the body about `point` [N m]

  /// True if the motion determines force and torque. False: redundant joints share the load, and only their sum is
  /// determined; force and torque are then those of the least norm that Reactions states.
  bool unique = true;

  /// Returns the torque of the same reaction about another place p, e.g. the joint [m].
  Eigen::Vector3d torque_about(const Eigen::Vector3d& p) const;

  void describe(Figures& f);
};

/// Returns the forces of all constraints on all blocks with a kind (block_kind.hpp), joint by joint: -G^T lambda with
/// the rows of the joint only. Rows that exert no force, such as the norm of Euler parameters, are left out. A
/// translation block has its force in x, a rotation block its torque in z, along their own direction. Generic blocks
/// are left out, because their coordinates have no known meaning (use Reactions::force_of). Of redundant joints only
/// the sum is unique; they are marked. The mark costs a factorisation.
/// @param lambda  physical multipliers: Reactions::ideal, MotionState::lambda or Trajectory::lambda
/// @throws Error on wrong sizes and for kinematic programs; what the model throws
std::vector<JointForce> joint_forces(const std::shared_ptr<const MechanicalSystem>& system, double t,
                                     const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& lambda);

}  // namespace sunlagrange
