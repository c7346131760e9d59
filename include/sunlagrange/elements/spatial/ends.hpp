// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include <Eigen/Core>

#include <sunlagrange/elements/spatial/pose.hpp>
#include <sunlagrange/elements/spatial/rotation.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/parameters.hpp>

namespace sunlagrange {

namespace spatial {

/// Returns a place in space for a drawing.
inline Drawing::Point drawn(const Vector3<double>& p) {
  return {p[0], p[1], p[2]};
}

}  // namespace spatial

/// The frame of a spatial joint, spring or force: a point and three axes, fixed in the body that carries them. The
/// joint axis is z; x and y are right-handed with it. Every joint takes two ends of any kind:
///
///     BodyEnd     a point of a SpatialRigidBody, 7 coordinates; point and axes in body axes, from the centre of mass
///     GroundEnd   a fixed point, no coordinates; ground axes
///     PointEnd    a SpatialPointMass, 3 coordinates; no axes, so not for joints that need one
///
/// The convenient way gives both ends from one place in the ground at the start, so that they fit exactly:
///
///     const Eigen::Vector3d hinge{1.0, 0.0, 0.0}, axis{0.0, 0.0, 1.0};
///     SpatialRevolute{BodyEnd::at(pose_1, hinge, axis), BodyEnd::at(pose_2, hinge, axis)}
class JointFrame {
 public:
  JointFrame() = default;
  /// x and y are some directions normal to the axis.
  /// @throws Error if the axis has no direction or something is not finite
  explicit JointFrame(const Eigen::Vector3d& point, const Eigen::Vector3d& axis = Eigen::Vector3d::UnitZ());
  /// x is the part of `x_direction` normal to the axis.
  /// @throws Error also if x_direction is parallel to the axis
  JointFrame(const Eigen::Vector3d& point, const Eigen::Vector3d& axis, const Eigen::Vector3d& x_direction);

  /// Point, z and x: y follows. An x that is not normal to z is turned; one that was not given, and is parallel to
  /// it, is chosen.
  void describe_parameters(Parameters& p);

  /// The point [m], in the axes of the body or of the ground.
  const spatial::Vector3<double>& fixed_point() const { return point_; }
  /// Unit vector along axis k, 0 to 2 for x, y, z, in the same axes.
  const spatial::Vector3<double>& fixed_axis(int k) const { return axes_[static_cast<std::size_t>(k)]; }

 protected:
  /// Returns this frame, which is in ground axes, in the axes of a body at `pose`.
  JointFrame seen_from(const SpatialPose& pose) const;

 private:
  void set(const Eigen::Vector3d& point, const Eigen::Vector3d& axis, const Eigen::Vector3d& x_direction);

  spatial::Vector3<double> point_{0.0, 0.0, 0.0};
  std::array<spatial::Vector3<double>, 3> axes_{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
};

/// An end on a SpatialRigidBody, see JointFrame.
///
/// Every kind of end has these members, for any scalar. Vectors are in ground axes, (q, v) are its own coordinates,
/// and a curvature is a second derivative at v' = 0. Joint axes are those of k = 2.
///
/// | member | meaning |
/// |---|---|
/// | `point(q)` | position P [m] |
/// | `point_rate(q, v)` | P' [m/s] |
/// | `point_curvature(v)` | curvature of P [m/s^2] |
/// | `pull_point(q, F, factor, f, stride)` | adds factor (dP/dq)^T F to f, a vector of forces or a row of a matrix |
/// | `axis(k, q)` | unit vector along axis k, 0 to 2 for x, y, z |
/// | `axis_rate(k, q, v)` | its rate [1/s] |
/// | `axis_curvature(k, v)` | its curvature [1/s^2] |
/// | `pull_axis(k, q, F, factor, f, stride)` | adds factor (d axis_k / dq)^T F to f, as pull_point |
/// | `draw(q, first, d)` | its place in the picture; `first`: its first coordinate among those of the element |
class BodyEnd : public JointFrame {
 public:
  static constexpr const char* type_name = "BodyEnd";

  using JointFrame::JointFrame;
  BodyEnd() = default;

  /// Makes an end from point, axis (and x direction) in ground axes at a pose of the body.
  static BodyEnd at(const SpatialPose& pose, const Eigen::Vector3d& point,
                    const Eigen::Vector3d& axis = Eigen::Vector3d::UnitZ()) {
    return BodyEnd(JointFrame(point, axis), pose);
  }
  /// The same with the x direction. @throws Error as JointFrame
  static BodyEnd at(const SpatialPose& pose, const Eigen::Vector3d& point, const Eigen::Vector3d& axis,
                    const Eigen::Vector3d& x_direction) {
    return BodyEnd(JointFrame(point, axis, x_direction), pose);
  }

  static constexpr int num_positions = spatial::body_size;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::spatial_body};

  template <class T>
  spatial::Vector3<T> point(View<const T> q) const {
    return spatial::sum(spatial::first_three(q), spatial::rotated(parameters(q), fixed_point()));
  }
  template <class T>
  spatial::Vector3<T> point_rate(View<const T> q, View<const T> v) const {
    return spatial::sum(spatial::first_three(v), spatial::rotated_rate(parameters(q), parameters(v), fixed_point()));
  }
  template <class T>
  spatial::Vector3<T> point_curvature(View<const T> v) const {
    return spatial::scaled(T(2.0), spatial::rotated(parameters(v), fixed_point()));
  }
  template <class T>
  void pull_point(View<const T> q, const spatial::Vector3<T>& F, double factor, T* f, int stride = 1) const {
    for (int k = 0; k < 3; ++k) f[k * stride] += factor * F[static_cast<std::size_t>(k)];
    pull(q, fixed_point(), F, factor, f, stride);
  }

  template <class T>
  spatial::Vector3<T> axis(int k, View<const T> q) const {
    return spatial::rotated(parameters(q), fixed_axis(k));
  }
  template <class T>
  spatial::Vector3<T> axis_rate(int k, View<const T> q, View<const T> v) const {
    return spatial::rotated_rate(parameters(q), parameters(v), fixed_axis(k));
  }
  template <class T>
  spatial::Vector3<T> axis_curvature(int k, View<const T> v) const {
    return spatial::scaled(T(2.0), spatial::rotated(parameters(v), fixed_axis(k)));
  }
  template <class T>
  void pull_axis(int k, View<const T> q, const spatial::Vector3<T>& F, double factor, T* f, int stride = 1) const {
    pull(q, fixed_axis(k), F, factor, f, stride);
  }

  Drawing::Point draw(View<const double> q, int first, Drawing& d) const {
    return d.on_body(spatial::drawn(point(spatial::part(q, first, num_positions))), first);
  }

  /// Euler parameters of the body.
  template <class T>
  static View<const T> parameters(View<const T> q) {
    return spatial::part(q, 3, 4);
  }

 private:
  BodyEnd(const JointFrame& in_ground, const SpatialPose& pose) : JointFrame(in_ground) {
    static_cast<JointFrame&>(*this) = seen_from(pose);
  }

  template <class T>
  static void pull(View<const T> q, const spatial::Vector3<double>& s, const spatial::Vector3<T>& F, double factor,
                   T* f, int stride) {
    const std::array<T, 4> gradient = spatial::pulled_back(parameters(q), s, F);
    for (int k = 0; k < 4; ++k) f[(3 + k) * stride] += factor * gradient[static_cast<std::size_t>(k)];
  }
};

/// An end on the ground, see JointFrame.
class GroundEnd : public JointFrame {
 public:
  static constexpr const char* type_name = "GroundEnd";

  using JointFrame::JointFrame;
  GroundEnd() = default;

  static constexpr int num_positions = 0;
  static constexpr std::array<BlockKind, 0> blocks{};

  template <class T>
  spatial::Vector3<T> point(View<const T>) const {
    return spatial::constant_vector<T>(fixed_point());
  }
  template <class T>
  spatial::Vector3<T> point_rate(View<const T>, View<const T>) const {
    return {};
  }
  template <class T>
  spatial::Vector3<T> point_curvature(View<const T>) const {
    return {};
  }
  template <class T>
  void pull_point(View<const T>, const spatial::Vector3<T>&, double, T*, int = 1) const {}

  template <class T>
  spatial::Vector3<T> axis(int k, View<const T>) const {
    return spatial::constant_vector<T>(fixed_axis(k));
  }
  template <class T>
  spatial::Vector3<T> axis_rate(int, View<const T>, View<const T>) const {
    return {};
  }
  template <class T>
  spatial::Vector3<T> axis_curvature(int, View<const T>) const {
    return {};
  }
  template <class T>
  void pull_axis(int, View<const T>, const spatial::Vector3<T>&, double, T*, int = 1) const {}

  Drawing::Point draw(View<const double>, int, Drawing& d) const { return d.ground(spatial::drawn(fixed_point())); }
};

/// An end on a SpatialPointMass: the point itself, without axes.
class PointEnd {
 public:
  static constexpr const char* type_name = "PointEnd";

  static constexpr int num_positions = 3;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::spatial_point};

  template <class T>
  spatial::Vector3<T> point(View<const T> q) const {
    return spatial::first_three(q);
  }
  template <class T>
  spatial::Vector3<T> point_rate(View<const T>, View<const T> v) const {
    return spatial::first_three(v);
  }
  template <class T>
  spatial::Vector3<T> point_curvature(View<const T>) const {
    return {};
  }
  template <class T>
  void pull_point(View<const T>, const spatial::Vector3<T>& F, double factor, T* f, int stride = 1) const {
    for (int k = 0; k < 3; ++k) f[k * stride] += factor * F[static_cast<std::size_t>(k)];
  }

  Drawing::Point draw(View<const double> q, int first, Drawing&) const {
    return {q[first], q[first + 1], q[first + 2]};
  }
};

/// Blocks of an element between two ends.
template <class A, class B>
constexpr auto blocks_of_ends() {
  std::array<BlockKind, A::blocks.size() + B::blocks.size()> all{};
  for (std::size_t k = 0; k < A::blocks.size(); ++k) all[k] = A::blocks[k];
  for (std::size_t k = 0; k < B::blocks.size(); ++k) all[A::blocks.size() + k] = B::blocks[k];
  return all;
}

}  // namespace sunlagrange
