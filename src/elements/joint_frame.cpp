// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <sstream>

#include <Eigen/Geometry>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/elements/spatial/ends.hpp>

namespace sunlagrange {

using namespace internal;
namespace {

using spatial::Vector3;

constexpr double parallel = 1e-8;  // sine of the angle below which two directions count as parallel

constexpr double rounding =
    1e-15;  // up to it axes count as normal and of unit length: a frame of its own axes is itself

Vector3<double> array(const Eigen::Vector3d& x) {
  return {x[0], x[1], x[2]};
}

Eigen::Vector3d vector(const Vector3<double>& x) {
  return {x[0], x[1], x[2]};
}

[[noreturn]] void refuse(const char* field, const Eigen::Vector3d& value, const char* why) {
  std::ostringstream message;
  message << "joint frame: " << field << " = (" << value.transpose() << ") " << why;
  throw Error(message.str());
}

Eigen::Vector3d of_unit_length(const Eigen::Vector3d& x) {
  return std::abs(x.squaredNorm() - 1.0) > rounding ? x.normalized() : x;
}

/// Returns the coordinate direction that is farthest from the axis.
Eigen::Vector3d farthest_direction(const Eigen::Vector3d& axis) {
  Eigen::Index k = 0;
  axis.cwiseAbs().minCoeff(&k);
  return Eigen::Vector3d::Unit(k);
}

}  // namespace

JointFrame::JointFrame(const Eigen::Vector3d& point, const Eigen::Vector3d& axis) {
  set(point, axis, farthest_direction(axis));
}

JointFrame::JointFrame(const Eigen::Vector3d& point, const Eigen::Vector3d& axis, const Eigen::Vector3d& x_direction) {
  set(point, axis, x_direction);
}

void JointFrame::set(const Eigen::Vector3d& point, const Eigen::Vector3d& axis, const Eigen::Vector3d& x_direction) {
  if (!point.allFinite()) refuse("point", point, "is not finite");
  if (!axis.allFinite() || !(axis.norm() > 0.0)) refuse("axis", axis, "must have a direction: finite, not zero");
  const Eigen::Vector3d z = of_unit_length(axis);
  const double along = z.dot(x_direction);
  Eigen::Vector3d x = x_direction;
  if (std::abs(along) > rounding * x_direction.norm()) x -= z * along;
  if (!x_direction.allFinite() || !(x.norm() > parallel * x_direction.norm())) {
    refuse("x_direction", x_direction, "must be finite and not parallel to the axis; leave it out to have one chosen");
  }
  x = of_unit_length(x);
  if (std::abs(z.dot(x)) > rounding) x = (x - z * z.dot(x)).normalized();
  point_ = array(point);
  axes_ = {array(x), array(z.cross(x)), array(z)};
}

JointFrame JointFrame::seen_from(const SpatialPose& pose) const {
  const Eigen::Matrix3d to_body = pose.rotation().transpose();
  return JointFrame(to_body * (vector(point_) - pose.position), to_body * vector(axes_[2]), to_body * vector(axes_[0]));
}

void JointFrame::describe_parameters(Parameters& p) {
  Vector3<double> point = point_, axis = axes_[2], x = axes_[0];
  p.finite("point", point, "m", "where it is, from the centre of mass in body axes, or in ground axes");
  p.finite("axis", axis, "1", "direction of the joint axis z");
  p.finite("x", x, "1", "direction of the x axis, normal to z");
  if (point == point_ && axis == axes_[2] && x == axes_[0]) return;
  const bool left_open = x == axes_[0] && vector(axis).cross(vector(x)).norm() <= parallel * vector(axis).norm();
  set(vector(point), vector(axis), left_open ? farthest_direction(vector(axis)) : vector(x));
}

}  // namespace sunlagrange
