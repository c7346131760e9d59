// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace sunlagrange {

/// Pose of a spatial body: centre of mass and Euler parameters (e0, e1, e2, e3), e.e = 1. Makes start values:
///
///     const SpatialPose pose{{0.5, 0.0, 0.0}, euler_parameters({0.0, 0.0, 1.0}, 0.3)};
///     start.q.segment<7>(body.first) = pose.coordinates();
///     start.v.segment<7>(body.first) = pose.rates(velocity, angular_velocity);
///
/// (start.q and start.v sized before.) e and -e are the same orientation.
struct SpatialPose {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();       ///< place of the centre of mass, ground axes [m]
  Eigen::Vector4d e = Eigen::Vector4d(1.0, 0.0, 0.0, 0.0);  ///< unit length; body axes parallel to ground axes

  Eigen::Matrix3d rotation() const;                 ///< A: columns are the body axes, in ground axes
  Eigen::Matrix<double, 7, 1> coordinates() const;  ///< (position, e), as a block of kind spatial_body has them
  /// (position', e') from the velocity of the centre of mass [m/s] and the angular velocity [rad/s], in ground axes.
  Eigen::Matrix<double, 7, 1> rates(const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity) const;

  Eigen::Vector3d to_ground(const Eigen::Vector3d& point) const;  ///< a point of the body, given in body axes [m]
  Eigen::Vector3d to_body(const Eigen::Vector3d& point) const;    ///< and back

  /// Pose of the body whose coordinates stand in q from `first` on; e is normalised.
  static SpatialPose of(const Eigen::VectorXd& q, int first);
};

/// Euler parameters of a turn by `angle` [rad] about `axis` (any length but zero, ground axes).
/// @throws Error if the axis has no direction
Eigen::Vector4d euler_parameters(const Eigen::Vector3d& axis, double angle);

/// Euler parameters of a rotation matrix; e0 >= 0.
/// @throws Error if A is no rotation: A^T A = 1 and det A = 1 to 1e-6
Eigen::Vector4d euler_parameters(const Eigen::Matrix3d& A);

/// Returns the rotation A(e) from body axes to ground axes.
Eigen::Matrix3d rotation_matrix(const Eigen::Vector4d& e);

/// e' from the angular velocity in ground axes [rad/s]: e' = E(e)^T omega / 2.
Eigen::Vector4d euler_parameter_rates(const Eigen::Vector4d& e, const Eigen::Vector3d& angular_velocity);

/// Angular velocity in ground axes [rad/s].
Eigen::Vector3d angular_velocity(const Eigen::Vector4d& e, const Eigen::Vector4d& e_dot);

}  // namespace sunlagrange
