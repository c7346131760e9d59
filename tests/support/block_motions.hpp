// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include <sunlagrange/model/block_kind.hpp>

/// Configurations and rigid motions of lists of coordinate blocks, whatever their kinds.
namespace sunlagrange::test {

inline Eigen::VectorXd uniform_vector(int size, std::mt19937& random, double low = -1.5, double high = 1.5) {
  std::uniform_real_distribution<double> uniform(low, high);
  return Eigen::VectorXd::NullaryExpr(size, [&] { return uniform(random); });
}

inline int block_size(BlockKind kind) {
  return kind == BlockKind::generic ? 1 : size_of(kind);
}

inline int total_size(const std::vector<BlockKind>& kinds) {
  int n = 0;
  for (const BlockKind kind : kinds) n += block_size(kind);
  return n;
}

/// Calls use(kind, first coordinate) for every block.
template <class Use>
void for_each_block(const std::vector<BlockKind>& kinds, Use&& use) {
  int first = 0;
  for (const BlockKind kind : kinds) {
    use(kind, first);
    first += block_size(kind);
  }
}

/// Hamilton product of quaternions (scalar part first), as a matrix on the right factor.
inline Eigen::Matrix4d quaternion_product(const Eigen::Vector4d& p) {
  Eigen::Matrix4d L;
  L << p[0], -p[1], -p[2], -p[3],  //
      p[1], p[0], -p[3], p[2],     //
      p[2], p[3], p[0], -p[1],     //
      p[3], -p[2], p[1], p[0];
  return L;
}

struct Configuration {
  std::string name;
  Eigen::VectorXd q, v;
};

/// Euler parameters of unit length, with rates that keep it.
inline void normalize_euler_parameters(const std::vector<BlockKind>& kinds, Eigen::VectorXd& q, Eigen::VectorXd& v) {
  for_each_block(kinds, [&](BlockKind kind, int first) {
    if (kind != BlockKind::spatial_body) return;
    auto e = q.segment<4>(first + 3);
    if (e.norm() == 0.0) e[0] = 1.0;
    e.normalize();
    v.segment<4>(first + 3) -= e * e.dot(v.segment<4>(first + 3));
  });
}

inline Configuration random_configuration(const std::vector<BlockKind>& kinds, std::mt19937& random) {
  const int n = total_size(kinds);
  Configuration x{"random", uniform_vector(n, random), uniform_vector(n, random)};
  normalize_euler_parameters(kinds, x.q, x.v);
  return x;
}

/// Zero, coincident, parallel, aligned, at rest.
inline std::vector<Configuration> special_configurations(const std::vector<BlockKind>& kinds, std::mt19937& random) {
  const Configuration base = random_configuration(kinds, random);
  Configuration zero{"all zero", Eigen::VectorXd::Zero(base.q.size()), base.v};
  Configuration same{"coincident and parallel", base.q, base.v};
  Configuration parallel{"parallel", base.q, base.v};
  Configuration aligned{"on the x axis", base.q, base.v};
  for_each_block(kinds, [&](BlockKind kind, int first) {
    const int size = block_size(kind);
    const int points = kind == BlockKind::planar_body ? 2 : kind == BlockKind::spatial_body ? 3 : 0;  // then angles
    same.q.segment(first, size) = same.q.head(size);
    const bool turns = points > 0 && block_size(kinds.front()) == size;
    if (turns) parallel.q.segment(first + points, size - points) = base.q.segment(points, size - points);
    if (size > 1) aligned.q.segment(first + 1, size - 1).setZero();
  });
  std::vector<Configuration> all{
      zero, same, parallel, aligned, {"at rest", base.q, Eigen::VectorXd::Zero(base.q.size())}};
  for (Configuration& x : all) normalize_euler_parameters(kinds, x.q, x.v);
  return all;
}

/// All blocks are points and bodies of the plane, or all of space.
inline bool rigid_motions_make_sense(const std::vector<BlockKind>& kinds) {
  bool planar = true, spatial = true;
  for (const BlockKind kind : kinds) {
    planar = planar && (kind == BlockKind::planar_point || kind == BlockKind::planar_body);
    spatial = spatial && (kind == BlockKind::spatial_point || kind == BlockKind::spatial_body);
  }
  return planar || spatial;
}

/// A turn and a shift of everything, in the plane and in space.
class RigidMotion {
 public:
  explicit RigidMotion(std::mt19937& random)
      : angle_(uniform_vector(1, random)[0]),
        quaternion_(uniform_vector(4, random).normalized()),
        shift_(uniform_vector(3, random)) {
    const Eigen::Quaterniond turn(quaternion_[0], quaternion_[1], quaternion_[2], quaternion_[3]);
    rotation_ = turn.toRotationMatrix();
    plane_ << std::cos(angle_), -std::sin(angle_), std::sin(angle_), std::cos(angle_);
  }

  /// The orthogonal map that turns velocities (and generalised forces).
  Eigen::MatrixXd matrix(const std::vector<BlockKind>& kinds) const {
    Eigen::MatrixXd J = Eigen::MatrixXd::Identity(total_size(kinds), total_size(kinds));
    for_each_block(kinds, [&](BlockKind kind, int first) {
      if (kind == BlockKind::planar_point || kind == BlockKind::planar_body) J.block<2, 2>(first, first) = plane_;
      if (kind == BlockKind::spatial_point || kind == BlockKind::spatial_body) J.block<3, 3>(first, first) = rotation_;
      if (kind == BlockKind::spatial_body) J.block<4, 4>(first + 3, first + 3) = quaternion_product(quaternion_);
    });
    return J;
  }
  Eigen::VectorXd turned(const std::vector<BlockKind>& kinds, const Eigen::VectorXd& v) const {
    return matrix(kinds) * v;
  }
  Eigen::VectorXd moved(const std::vector<BlockKind>& kinds, const Eigen::VectorXd& q) const {
    Eigen::VectorXd x = matrix(kinds) * q;
    for_each_block(kinds, [&](BlockKind kind, int first) {
      if (kind == BlockKind::planar_point || kind == BlockKind::planar_body) x.segment<2>(first) += shift_.head<2>();
      if (kind == BlockKind::planar_body) x[first + 2] += angle_;
      if (kind == BlockKind::spatial_point || kind == BlockKind::spatial_body) x.segment<3>(first) += shift_;
    });
    return x;
  }

 private:
  double angle_;
  Eigen::Vector4d quaternion_;
  Eigen::Vector3d shift_;
  Eigen::Matrix3d rotation_;
  Eigen::Matrix2d plane_;
};

/// Velocities of everything moving as one rigid body, one column each: shifts and turns about the origin.
inline Eigen::MatrixXd rigid_velocities(const std::vector<BlockKind>& kinds, const Eigen::VectorXd& q) {
  Eigen::MatrixXd V = Eigen::MatrixXd::Zero(q.size(), 6);
  for_each_block(kinds, [&](BlockKind kind, int first) {
    const bool plane = kind == BlockKind::planar_point || kind == BlockKind::planar_body;
    for (int i = 0; i < (plane ? 2 : 3); ++i) V(first + i, i) = 1.0;
    if (plane) {
      V(first, 5) = -q[first + 1];
      V(first + 1, 5) = q[first];
      if (kind == BlockKind::planar_body) V(first + 2, 5) = 1.0;
      return;
    }
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d axis = Eigen::Vector3d::Unit(k);
      V.block<3, 1>(first, 3 + k) = axis.cross(q.segment<3>(first));
      if (kind != BlockKind::spatial_body) continue;
      const Eigen::Vector4d half(0.0, 0.5 * axis[0], 0.5 * axis[1], 0.5 * axis[2]);
      V.block<4, 1>(first + 3, 3 + k) = quaternion_product(half) * q.segment<4>(first + 3);
    }
  });
  return V;
}

}  // namespace sunlagrange::test
