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

/// The coordinate direction that is farthest from the axis.
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
  const Eigen::Vector3d z = axis.normalized();
  const Eigen::Vector3d x = x_direction - z * z.dot(x_direction);
  if (!x_direction.allFinite() || !(x.norm() > parallel * x_direction.norm())) {
    refuse("x_direction", x_direction, "must be finite and not parallel to the axis; leave it out to have one chosen");
  }
  point_ = array(point);
  axes_ = {array(x.normalized()), array(z.cross(x.normalized())), array(z)};
}

JointFrame JointFrame::seen_from(const SpatialPose& pose) const {
  const Eigen::Matrix3d to_body = pose.rotation().transpose();
  JointFrame own;
  own.point_ = array(to_body * (vector(point_) - pose.position));
  for (std::size_t k = 0; k < 3; ++k) own.axes_[k] = array((to_body * vector(axes_[k])).normalized());
  return own;
}

}  // namespace sunlagrange
