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

/// Constraint forces and violations at one state (t, q, v). The equations of a stabilised formulation contain
/// multipliers that do two things at once, [003, (1.18)]:
///
///     lambda = ideal + stabilizing,     M a + G^T lambda = f.
///
/// `ideal` is the physical reaction, the multiplier of [M G^T; G 0] (a, lambda) = (f, gamma). `stabilizing` is the
/// control force that the gains (and the compliance of penalty forms) add to drive the violation back: zero in
/// `unstabilized`, `projected` and the index-2, index-3 forms, zero on the constraints in `baumgarte`.
///
/// Sign: the force on the coordinates is -G^T lambda. Rows: (g, psi), named by MechanicalSystem::constraint_name.
/// Where constraints are redundant (rank < m) only G^T lambda, the violations and the accelerations are unique; lambda
/// is then the one of least norm, which depends on the scaling of the rows.
struct Reactions {
  double t = 0.0;
  Eigen::VectorXd ideal;        ///< m, J per unit of g
  Eigen::VectorXd stabilizing;  ///< m

  Eigen::VectorXd generalized_force;  ///< -G^T ideal, n; N or N m
  Eigen::VectorXd stabilizing_force;  ///< -G^T stabilizing, n

  Eigen::VectorXd acceleration;        ///< v' of the formulation, stabilising terms included, n
  Eigen::VectorXd ideal_acceleration;  ///< v' without them, n

  Eigen::VectorXd position_violation;      ///< g, m_g
  Eigen::VectorXd velocity_violation;      ///< (g', psi), m
  Eigen::VectorXd acceleration_violation;  ///< (g'', psi') at `acceleration`, m

  Eigen::SparseMatrix<double> jacobian;  ///< G, m x n
  int rank = 0;                          ///< constraint directions kept by the rank policy

  /// finished; rank_loss under policy strict (but for forms with a compliance, which do not lose it) or for a singular
  /// saddle-point matrix; model_error where the model declined the point or is not finite. Unless finished, only t and
  /// names are set.
  Status status;

  std::vector<std::string> names;  ///< of the rows

  /// Rows of a constraint: `name` itself, or all rows of the element `name` ("name[0]", "name.x", ...).
  /// @throws Error listing the known names
  std::vector<int> rows(const std::string& name) const;

  /// Ideal and stabilising multipliers of a constraint, one entry per row of it.
  Eigen::VectorXd ideal_of(const std::string& name) const;
  Eigen::VectorXd stabilizing_of(const std::string& name) const;

  /// Physical force of one constraint on the coordinates: -G^T ideal with its rows only, n.
  Eigen::VectorXd force_of(const std::string& name) const;

  void describe(Figures& f);
};

/// Evaluates Reactions at as many states as needed, e.g. along a Trajectory; set-up costs about one formulation. One
/// instance per thread.
class ReactionEvaluator {
 public:
  /// @param start  the start of the run: automatic gains and Lambda are read off it; taken as it is, not projected
  /// @param options  those of the run that the reactions shall explain
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

/// Reactions at one state, which also serves as the start of the run.
Reactions reactions(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& state,
                    const FormulationOptions& options = {});

/// What one joint does to one body, or to one coordinate: force and torque in ground axes, also where the body has
/// Euler parameters. Of a planar body z is normal to the plane.
struct JointForce {
  std::string joint;                                 ///< element of the Assembly
  std::string body;                                  ///< block of coordinates
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   ///< on the body [N]
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< reference point of the body, in the ground [m]
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();  ///< on the body about `point` [N m]

  /// The same reaction with its force at another place p, e.g. the joint [m].
  Eigen::Vector3d torque_about(const Eigen::Vector3d& p) const;

  void describe(Figures& f);
};

/// Forces of all constraints on all points, bodies, lengths and angles (blocks with a kind, block_kind.hpp), joint by
/// joint: -G^T lambda with the rows of the joint only. Rows that exert no force (the norm of Euler parameters) are left
/// out; a translation block has its force in x, a rotation block its torque in z, along their own direction. When not:
/// generic blocks, whose coordinates have no meaning here (Reactions::force_of), and redundant joints, where only the
/// sum is unique.
/// @param lambda  physical multipliers: Reactions::ideal, MotionState::lambda or Trajectory::lambda
/// @throws Error on wrong sizes and for kinematic programs; what the model throws
std::vector<JointForce> joint_forces(const std::shared_ptr<const MechanicalSystem>& system, double t,
                                     const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& lambda);

}  // namespace sunlagrange
