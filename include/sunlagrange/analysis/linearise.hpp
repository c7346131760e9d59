#pragma once

#include <memory>

#include <Eigen/Core>

#include <sunlagrange/base/enum_names.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

/// What a system was linearised about, which decides what its eigenvalues mean.
enum class LinearisedAt {
  equilibrium,    ///< at rest, the forces in balance
  steady_motion,  ///< moving, but no coefficient changes along the motion: rotation, rolling
  instant,        ///< a point of any other motion: coefficients frozen there, whose eigenvalues prove nothing
};

constexpr auto names_of(LinearisedAt) {
  return enum_names("equilibrium", "steady_motion", "instant");
}

/// Small motions about a state of M v' + G^T lambda = f, g = 0, psi = 0, with the constraints eliminated:
///
///     dq = P y,   dv = N w + C y,   y' = T w + S y,   M w' + (damping + gyroscopic) w + K y = 0
///
/// P spans the null space of the rows of g, N that of all rows, both orthonormal in scales of the coordinates in which
/// the rank of G is decided (analyse_redundancy), so rows that depend on others are allowed. Without psi rows N = P; at
/// rest and in steady motions then y' = w, and K = stiffness + circulatory is square. What lambda does with the
/// curvature of the constraints is in K. Time that appears explicitly is frozen.
/// With psi rows K has more columns than rows; stiffness and circulatory are then those of K T, the displacements that
/// the psi rows allow.
struct Linearisation {
  LinearisedAt at = LinearisedAt::equilibrium;
  MotionState state;               ///< the consistent state it is about
  Eigen::VectorXd natural_scales;  ///< of the n coordinates

  Eigen::MatrixXd positions;   ///< P, n x p
  Eigen::MatrixXd velocities;  ///< N, n x k; k is the number of degrees of freedom
  Eigen::MatrixXd transport;   ///< C, n x p: zero at rest
  Eigen::MatrixXd T;           ///< p x k
  Eigen::MatrixXd S;           ///< p x p

  Eigen::MatrixXd M;            ///< k x k, symmetric positive definite
  Eigen::MatrixXd damping;      ///< k x k, symmetric: takes energy if positive semidefinite
  Eigen::MatrixXd gyroscopic;   ///< k x k, skew: does no work
  Eigen::MatrixXd K;            ///< k x p
  Eigen::MatrixXd stiffness;    ///< k x k, symmetric
  Eigen::MatrixXd circulatory;  ///< k x k, skew: of forces without potential, e.g. follower forces

  int rank = 0;       ///< of G
  int redundant = 0;  ///< rows that repeat others
  int lost = 0;  ///< of these, the ones that are independent nearby: a singular pose, whose tangents are no motions

  /// Largest force that nothing balances, over the typical one of its part of the system (what rows, M or stiffness
  /// couple): the largest of the forces, of the reactions, and of what a natural scale of any displacement changes of
  /// the forces, so a rest without any load is one. An equilibrium has at most 1e-6.
  double imbalance = 0.0;

  /// finished (with a message where `at` is instant or a direction is lost: what the figures are worth), or why there
  /// is no linearisation: infeasible, rank_loss, model_error. Then only `state` is set.
  Status status;

  /// Of (y, w)' = A (y, w), p + k square [1/s].
  Eigen::MatrixXd state_matrix() const;
};

/// @param state  made consistent first, with `options`
/// @throws Error if the system is null or a kinematic program, which has no forces; as consistent_state()
/// When not: to follow a motion that is not steady (step_map), or for thousands of coordinates: all is dense, O(n^3).
Linearisation linearise(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& state,
                        const ConsistencyOptions& options = {});

}  // namespace sunlagrange
