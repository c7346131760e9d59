// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <sstream>

#include <Eigen/Geometry>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/elements/spatial/pose.hpp>
#include <sunlagrange/elements/spatial/rotation.hpp>

namespace sunlagrange {

using namespace internal;

using spatial::Vector3;

namespace {

Eigen::Vector4d coefficients(const Eigen::Quaterniond& turn) {
  return {turn.w(), turn.x(), turn.y(), turn.z()};
}

}  // namespace

Eigen::Vector4d euler_parameters(const Eigen::Vector3d& axis, double angle) {
  const double length = axis.norm();
  if (!(length > 0.0) || !std::isfinite(length) || !std::isfinite(angle)) {
    std::ostringstream message;
    message << "euler_parameters: axis (" << axis.transpose() << "), angle " << angle
            << ": the axis needs a direction, the angle must be finite; for no turn at all use axis (0, 0, 1), angle 0";
    throw Error(message.str());
  }
  return coefficients(Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis / length)));
}

Eigen::Vector4d euler_parameters(const Eigen::Matrix3d& A) {
  const double skew = (A.transpose() * A - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  const double determinant = A.determinant();
  if (!(skew < 1e-6) || !(determinant > 0.0)) {
    std::ostringstream message;
    message << "euler_parameters: no rotation matrix: largest entry of A^T A - 1 is " << skew
            << ", det A = " << determinant
            << ", must be 0 and 1; the columns are three orthogonal unit vectors, right-handed";
    throw Error(message.str());
  }
  const Eigen::Vector4d e = coefficients(Eigen::Quaterniond(A).normalized());
  return e[0] < 0.0 ? Eigen::Vector4d(-e) : e;
}

Eigen::Matrix3d rotation_matrix(const Eigen::Vector4d& e) {
  const View<const double> parameters(e.data(), 4);
  Eigen::Matrix3d A;
  for (int k = 0; k < 3; ++k) {
    Vector3<double> axis{0.0, 0.0, 0.0};
    axis[static_cast<std::size_t>(k)] = 1.0;
    const Vector3<double> column = spatial::rotated(parameters, axis);
    A.col(k) << column[0], column[1], column[2];
  }
  return A;
}

Eigen::Vector4d euler_parameter_rates(const Eigen::Vector4d& e, const Eigen::Vector3d& angular_velocity) {
  const Vector3<double> spin{angular_velocity[0], angular_velocity[1], angular_velocity[2]};
  const auto twice = spatial::torque_on_parameters(View<const double>(e.data(), 4), spin);  // 2 E^T omega
  return Eigen::Vector4d(twice[0], twice[1], twice[2], twice[3]) / 4.0;
}

Eigen::Vector3d angular_velocity(const Eigen::Vector4d& e, const Eigen::Vector4d& e_dot) {
  const auto spin = spatial::spin_in_ground(View<const double>(e.data(), 4), View<const double>(e_dot.data(), 4));
  return {spin[0], spin[1], spin[2]};
}

Eigen::Matrix3d SpatialPose::rotation() const {
  return rotation_matrix(e);
}

Eigen::Matrix<double, 7, 1> SpatialPose::coordinates() const {
  Eigen::Matrix<double, 7, 1> q;
  q << position, e;
  return q;
}

Eigen::Matrix<double, 7, 1> SpatialPose::rates(const Eigen::Vector3d& velocity,
                                               const Eigen::Vector3d& angular_velocity) const {
  Eigen::Matrix<double, 7, 1> v;
  v << velocity, euler_parameter_rates(e, angular_velocity);
  return v;
}

Eigen::Vector3d SpatialPose::to_ground(const Eigen::Vector3d& point) const {
  return position + rotation() * point;
}

Eigen::Vector3d SpatialPose::to_body(const Eigen::Vector3d& point) const {
  return rotation().transpose() * (point - position);
}

SpatialPose SpatialPose::of(const Eigen::VectorXd& q, int first) {
  if (first < 0 || first + spatial::body_size > q.size()) {
    throw Error("SpatialPose::of: first = " + std::to_string(first) + ", but q has " + std::to_string(q.size()) +
                " entries; needs first + 7 of them, first = Block::first of the body");
  }
  return {q.segment<3>(first), q.segment<4>(first + 3).normalized()};
}

}  // namespace sunlagrange
