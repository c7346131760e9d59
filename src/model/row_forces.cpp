// SPDX-License-Identifier: BSD-3-Clause
#include "model/row_forces.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "model/evaluation.hpp"
#include "model/system_analysis.hpp"

namespace sunlagrange::internal {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

/// Part of the largest weight that every row has, so that rows without force have one solution. Held by
/// joint_forces_test.
constexpr double least_weight = 1e-14;
/// Squares below this part of others are rounding.
constexpr double rounding = 1e-18;
/// Squared distances below this part of the squared arms are rounding: all lines meet in one point.
constexpr double one_point = 1e-12;

bool exerts_forces(BlockKind kind) {
  switch (kind) {
    case BlockKind::planar_point:
    case BlockKind::planar_body:
    case BlockKind::spatial_point:
    case BlockKind::spatial_body:
    case BlockKind::translation:
    case BlockKind::rotation:
      return true;
    default:
      return false;
  }
}

}  // namespace

Eigen::Matrix<double, 3, 4> spin_matrix(const Eigen::Vector4d& e) {
  Eigen::Matrix<double, 3, 4> E;
  E << -e[1], e[0], -e[3], e[2],  //
      -e[2], e[3], e[0], -e[1],   //
      -e[3], -e[2], e[1], e[0];
  return E;
}

Eigen::Matrix<double, 6, 1> wrench(const NamedBlock& block, const Eigen::Vector4d& e, const Eigen::VectorXd& Q) {
  Eigen::Matrix<double, 6, 1> w = Eigen::Matrix<double, 6, 1>::Zero();
  switch (block.kind) {
    case BlockKind::planar_point:
    case BlockKind::spatial_point:
    case BlockKind::translation:
      w.head(block.size) = Q.head(block.size);
      break;
    case BlockKind::planar_body:
      w.head(2) = Q.head(2);
      w[5] = Q[2];
      break;
    case BlockKind::spatial_body:
      w.head(3) = Q.head(3);
      w.tail(3) = 0.5 * spin_matrix(e) * Q.segment<4>(3);
      break;
    case BlockKind::rotation:
      w[5] = Q[0];
      break;
    default:
      break;
  }
  return w;
}

/// Distances of the lines of action on each body from the point c nearest to all of them: the least
/// sum (c - p)^T P (c - p), P = 1 - f f^T, for lines through p along f.
struct RowForces::Lines {
  double squares = 0.0, arms = 0.0;  // of all bodies: squared distances, |p|^2
  int count = 0;

  // of the present body
  Matrix3d A = Matrix3d::Zero();
  Vector3d b = Vector3d::Zero();
  double constant = 0.0;

  void add(const Vector3d& force, const Vector3d& torque) {
    const double square = force.squaredNorm();
    const Vector3d p(force[1] * torque[2] - force[2] * torque[1], force[2] * torque[0] - force[0] * torque[2],
                     force[0] * torque[1] - force[1] * torque[0]);
    const Vector3d foot = p / square;  // normal to the force
    A += Matrix3d::Identity() - force * force.transpose() / square;
    b += foot;
    constant += foot.squaredNorm();
    arms += foot.squaredNorm();
    ++count;
  }

  /// Conjugate gradients: three steps are exact, also if A is singular.
  void end_body() {
    Vector3d c = Vector3d::Zero(), residual = b, direction = b;
    double square = b.squaredNorm();
    for (int k = 0; k < 3 && square > rounding * b.squaredNorm(); ++k) {
      const Vector3d image = A * direction;
      const double curvature = direction.dot(image);
      if (!(curvature > 0.0)) break;
      c += square / curvature * direction;
      residual -= square / curvature * image;
      const double next = residual.squaredNorm();
      direction = residual + next / square * direction;
      square = next;
    }
    squares += std::max(0.0, constant - b.dot(c));
    A.setZero();
    b.setZero();
    constant = 0.0;
  }

  double squared_length() const { return squares > one_point * arms ? squares / count : 1.0; }
};

RowForces::RowForces(const MechanicalSystem& system)
    : m_(system.num_constraints()), kinematic_(static_cast<std::size_t>(m_), false) {
  if (m_ == 0 || !system.motion_law().has_forces) return;
  std::vector<bool> known(static_cast<std::size_t>(system.num_positions()), false);
  for (const NamedBlock& block : system.blocks()) {
    if (!exerts_forces(block.kind)) continue;
    bodies_.push_back({block});
    std::fill_n(known.begin() + block.first, block.size, true);
  }
  for (std::size_t j = 0; j < known.size(); ++j) {
    if (!known[j]) others_.push_back(static_cast<int>(j));
  }
  find_norm_rows(system);
}

/// Rows of Euler parameters of one body alone are kinematic if their gradient is along these at two random points.
void RowForces::find_norm_rows(const MechanicalSystem& system) {
  const SparsePattern& jacobian = sparse_patterns(system)->jacobian;
  constexpr int none = -1, several = -2;
  std::vector<int> body_of(static_cast<std::size_t>(m_), none);  // whose Euler parameters are all that a row reads
  std::vector<int> owner(static_cast<std::size_t>(system.num_positions()), several);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    if (bodies_[k].block.kind != BlockKind::spatial_body) continue;
    std::fill_n(owner.begin() + bodies_[k].block.first + 3, 4, static_cast<int>(k));
  }
  jacobian.for_each_entry([&](int i, int j, int) {
    int& body = body_of[static_cast<std::size_t>(i)];
    const int reads = owner[static_cast<std::size_t>(j)];
    body = body == none || body == reads ? reads : several;
  });
  if (std::none_of(body_of.begin(), body_of.end(), [](int body) { return body >= 0; })) return;
  Eigen::VectorXd q = Eigen::VectorXd::Constant(system.num_positions(), 0.3);
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(q.size());
  const Eigen::Vector4d points[] = {{0.5, -0.1, 0.7, 0.5}, {-0.2, 0.8, 0.2, -0.4}};  // of length 1.0, 0.94
  std::vector<int> found(static_cast<std::size_t>(m_), 0);
  std::vector<double> along(static_cast<std::size_t>(m_), 0.0);
  ElementTerms terms;
  for (const Eigen::Vector4d& e : points) {
    for (const Body& body : bodies_) {
      if (body.block.kind == BlockKind::spatial_body) q.segment<4>(body.block.first + 3) = e.normalized();
    }
    for (int element = 0; element < system.num_elements(); ++element) {
      try {
        if (!element_terms(system, element, 0.0, q.data(), v.data(), terms, ElementShare::equations)) continue;
      } catch (...) {  // the point may be outside of its domain
        continue;
      }
      for (std::size_t k = 0; k < terms.rows.size(); ++k) {
        const int row = terms.rows[k];
        if (row < 0 || body_of[static_cast<std::size_t>(row)] < 0) continue;
        const auto gradient = terms.jacobian.row(static_cast<Eigen::Index>(k));
        double product = 0.0;
        for (std::size_t j = 0; j < terms.coordinates.size(); ++j) {
          if (owner[static_cast<std::size_t>(terms.coordinates[j])] >= 0)
            product += gradient[static_cast<Eigen::Index>(j)] * q[terms.coordinates[j]];
        }
        const double length = gradient.norm();
        if (!(length > 0.0) || !(std::abs(product) > (1.0 - 1e-9) * length)) continue;
        ++found[static_cast<std::size_t>(row)];
        along[static_cast<std::size_t>(row)] = product > 0.0 ? 1.0 : -1.0;
      }
    }
  }
  for (int row = 0; row < m_; ++row) {
    const auto i = static_cast<std::size_t>(row);
    if (found[i] != 2) continue;
    kinematic_[i] = true;
    Body& body = bodies_[static_cast<std::size_t>(body_of[i])];
    body.norm_row = row;
    body.along = along[i];
  }
}

/// Adds what the rows exert on one body.
void RowForces::add_body(const Body& body, const SparsePattern& jacobian, const double* G, Lines& lines) {
  for (int c = 0; c < body.block.size; ++c) {
    jacobian.for_each_entry_of(body.block.first + c, [&](int i, int, int slot) {
      if (!is_touched_[static_cast<std::size_t>(i)]) {
        is_touched_[static_cast<std::size_t>(i)] = true;
        touched_.push_back(i);
      }
      entries(i)[c] = G[slot];
    });
  }
  Eigen::Vector4d e = Eigen::Vector4d::Zero();
  const bool spatial = body.block.kind == BlockKind::spatial_body;
  if (spatial && body.norm_row >= 0) {
    e = body.along * Eigen::Map<const Eigen::Vector4d>(entries(body.norm_row) + 3);
    const double length = e.norm();
    if (length > 0.0) e /= length;
  }
  const bool turns = body.block.kind == BlockKind::planar_body || spatial;
  for (const int i : touched_) {
    Vector3d force = Vector3d::Zero(), torque = Vector3d::Zero();
    double* x = entries(i);
    double torque_square = 0.0;
    switch (body.block.kind) {
      case BlockKind::rotation:
        torque[2] = x[0];
        torque_square = x[0] * x[0];
        break;
      case BlockKind::planar_body:
        force.head(2) = Eigen::Map<const Eigen::Vector2d>(x);
        torque[2] = x[2];
        torque_square = x[2] * x[2];
        break;
      case BlockKind::spatial_body: {
        force = Eigen::Map<const Vector3d>(x);
        const Eigen::Map<const Eigen::Vector4d> Q(x + 3);
        torque = 0.5 * spin_matrix(e) * Q;
        torque_square = body.norm_row >= 0 ? torque.squaredNorm() : 0.25 * Q.squaredNorm();
        if (kinematic_[static_cast<std::size_t>(i)]) torque_square = 0.0;
        break;
      }
      default:
        for (int c = 0; c < body.block.size; ++c) force[c] = x[c];
        break;
    }
    const double force_square = force.squaredNorm();
    force_[i] = std::max(force_[i], force_square);
    torque_[i] = std::max(torque_[i], torque_square);
    if (turns && force_square > 0.0 && (!spatial || body.norm_row >= 0)) lines.add(force, torque);
    std::fill_n(x, 7, 0.0);
    is_touched_[static_cast<std::size_t>(i)] = false;
  }
  touched_.clear();
  lines.end_body();
}

void RowForces::weigh(const SparsePattern& jacobian, const double* G, double* weights) {
  if (force_.size() != m_ || entries_.size() == 0) {
    entries_.setZero(7 * m_);
    is_touched_.assign(static_cast<std::size_t>(m_), false);
    other_.assign(static_cast<std::size_t>(m_), false);
    touched_.reserve(static_cast<std::size_t>(m_));
  }
  force_.setZero(m_);
  torque_.setZero(m_);
  Lines lines;
  for (const Body& body : bodies_) add_body(body, jacobian, G, lines);
  std::fill(other_.begin(), other_.end(), false);
  for (const int j : others_) {
    jacobian.for_each_entry_of(j, [&](int i, int, int slot) {
      if (G[slot] != 0.0) other_[static_cast<std::size_t>(i)] = true;
    });
  }
  const double square = lines.squared_length();
  double largest = 0.0;
  for (int i = 0; i < m_; ++i) {
    const double by_torque = torque_[i] / square;
    weights[i] = other_[static_cast<std::size_t>(i)] ? 1.0 : force_[i] > rounding * by_torque ? force_[i] : by_torque;
    largest = std::max(largest, weights[i]);
  }
  const double least = largest > 0.0 ? least_weight * largest : 1.0;
  for (int i = 0; i < m_; ++i) weights[i] = std::max(weights[i], least);
}

std::shared_ptr<const RowForces> row_forces(const MechanicalSystem& system) {
  SystemAnalysis& known = analysis_of(system);
  std::call_once(known.row_forces_found, [&] { known.row_forces = std::make_shared<const RowForces>(system); });
  return known.row_forces;
}

}  // namespace sunlagrange::internal
