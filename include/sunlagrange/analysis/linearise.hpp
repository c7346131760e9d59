// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <Eigen/Core>

#include <sunlagrange/base/enum_names.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/motion_state.hpp>

namespace sunlagrange {

class Figures;

/// Kind of the state about which a system was linearised. It decides what the eigenvalues mean.
enum class LinearisedAt {
  equilibrium,    ///< a state at rest with all forces in balance
  steady_motion,  ///< a motion with constant coefficients along it, such as rotation or rolling
  instant,        ///< a point of any other motion; eigenvalues of the frozen coefficients prove nothing
};

constexpr auto names_of(LinearisedAt) {
  return enum_names("equilibrium", "steady_motion", "instant");
}

/// Small motions about a state of M v' + G^T lambda = f, g = 0, psi = 0, with the constraints eliminated:
///
///     dq = P y,   dv = N w + C y,   y' = T w + S y,   M w' + (damping + gyroscopic) w + K y = 0
///
/// The columns of P span the null space of the rows of g, those of N the null space of all rows. Both are orthonormal
/// in the scaled coordinates in which analyse_redundancy() decides the rank of G, so redundant rows are allowed.
/// Without psi rows N = P; at rest and in steady motions then y' = w, and K = stiffness + circulatory is square. K
/// includes the product of lambda with the curvature of the constraints. Explicit time is frozen. With psi rows K has
/// more columns than rows; stiffness and circulatory are then those of K T, restricted to the displacements that the
/// psi rows allow.
struct Linearisation {
  LinearisedAt at = LinearisedAt::equilibrium;
  MotionState state;               ///< the consistent state
  Eigen::VectorXd natural_scales;  ///< scales of the n coordinates

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

  int rank = 0;       ///< rank of G
  int redundant = 0;  ///< rows that depend on others
  int lost = 0;  ///< redundant rows that are independent nearby: at such a singular pose some tangents are no motions

  /// Largest unbalanced force relative to the typical force of its part of the system; coordinates coupled by rows, M
  /// or stiffness belong to one part. The typical force is the largest of the forces, the reactions and the change of
  /// the forces by a displacement of one natural scale, so a state of rest without any load is an equilibrium. An
  /// equilibrium has at most 1e-6.
  double imbalance = 0.0;

  /// finished (the message states what the figures are worth if `at` is instant or a direction is lost), or the reason
  /// why there is no linearisation: infeasible, rank_loss, model_error; then only `state` is set.
  Status status;

  /// Returns A of (y, w)' = A (y, w), p + k square [1/s].
  Eigen::MatrixXd state_matrix() const;

  void describe(Figures& f);
};

/// @param state  made consistent first, with `options`
/// @throws Error if the system is null or a kinematic program; as consistent_state()
/// When not to use it: along a motion that is not steady (see step_map), or for thousands of coordinates, because all
/// matrices are dense, O(n^3).
Linearisation linearise(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& state,
                        const ConsistencyOptions& options = {});

}  // namespace sunlagrange
