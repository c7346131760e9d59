// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <utility>

#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/results/reactions.hpp>

#include "linear_solver/saddle_point_system.hpp"
#include "model/checks/required_system.hpp"
#include "model/evaluation.hpp"
#include "model/row_forces.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Wrench = Eigen::Matrix<double, 6, 1>;

Eigen::Vector3d reference_point(const NamedBlock& block, const Eigen::VectorXd& q) {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  const bool planar = block.kind == BlockKind::planar_point || block.kind == BlockKind::planar_body;
  const bool spatial = block.kind == BlockKind::spatial_point || block.kind == BlockKind::spatial_body;
  const int dimension = planar ? 2 : spatial ? 3 : 0;
  p.head(dimension) = q.segment(block.first, dimension);
  return p;
}

/// Decides which joint forces the motion determines: those to which undetermined multipliers add nothing.
class Determination {
 public:
  Determination(const std::shared_ptr<const MechanicalSystem>& system, double t, const Eigen::VectorXd& q,
                const Eigen::VectorXd& v)
      : evaluator_(evaluator_for(system, {})), saddle_(evaluator_, {}) {
    const Workspace* at = evaluator_.at(t, q.data(), v.data());
    known_ = saddle_.factorize(at) == EvaluationResult::ok;
    if (known_) undetermined_ = saddle_.undetermined_multipliers(*at);
  }

  /// Adds what one row exerts on the next joint force for a multiplier of 1.
  void add(int row, const Wrench& unit) {
    if (undetermined_.size() == 0 || row < 0) return;
    const Wrench part = undetermined_[row] * unit;
    sum_ += part;
    parts_.push_back(part);
  }
  void end_joint_force() {
    sums_.push_back(sum_);
    sum_.setZero();
  }

  /// Writes the marks in the order of the joint forces.
  void mark(std::vector<JointForce>& forces) const {
    double force = 0.0, torque = 0.0;
    for (const Wrench& part : parts_) {
      force += part.head(3).squaredNorm();
      torque += part.tail(3).squaredNorm();
    }
    const double arm = force > 0.0 && torque > 0.0 ? torque / force : 1.0;  // squared
    const auto square = [arm](const Wrench& w) { return w.head(3).squaredNorm() + w.tail(3).squaredNorm() / arm; };
    double largest = 0.0;
    for (const Wrench& part : parts_) largest = std::max(largest, square(part));
    for (std::size_t k = 0; k < forces.size(); ++k) {
      forces[k].unique = known_ && square(sums_[k]) <= std::pow(SaddlePointSystem::undetermined_above, 2) * largest;
    }
  }

 private:
  PointEvaluator evaluator_;
  SaddlePointSystem saddle_;
  bool known_ = false;
  Eigen::VectorXd undetermined_;
  Wrench sum_ = Wrench::Zero();
  std::vector<Wrench> sums_, parts_;
};

}  // namespace

Eigen::Vector3d JointForce::torque_about(const Eigen::Vector3d& p) const {
  const Eigen::Vector3d r = point - p;
  return torque + Eigen::Vector3d(r[1] * force[2] - r[2] * force[1], r[2] * force[0] - r[0] * force[2],
                                  r[0] * force[1] - r[1] * force[0]);
}

std::vector<JointForce> joint_forces(const std::shared_ptr<const MechanicalSystem>& system, double t,
                                     const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                     const Eigen::VectorXd& lambda) {
  require_forces(system, "joint_forces", "has no forces; mu is lambda of the trajectory");
  if (q.size() != system->num_positions() || v.size() != q.size() || lambda.size() != system->num_constraints()) {
    throw Error("joint_forces: q, v, lambda have " + std::to_string(q.size()) + ", " + std::to_string(v.size()) + ", " +
                std::to_string(lambda.size()) +
                " entries, the system wants n, n, m = " + std::to_string(system->num_positions()) + ", " +
                std::to_string(system->num_positions()) + ", " + std::to_string(system->num_constraints()));
  }
  std::vector<JointForce> forces;
  if (lambda.size() == 0) return forces;
  Determination determination(system, t, q, v);
  ElementTerms terms;
  Eigen::MatrixXd G;
  for (int element = 0; element < system->num_elements(); ++element) {
    if (!element_terms(*system, element, t, q.data(), v.data(), terms) || terms.rows.empty()) continue;
    for (const NamedBlock& block : system->blocks()) {
      if (block.kind == BlockKind::generic) continue;
      G.setZero(terms.jacobian.rows(), block.size);
      bool touched = false;
      for (std::size_t k = 0; k < terms.coordinates.size(); ++k) {
        const int i = terms.coordinates[k] - block.first;
        if (i < 0 || i >= block.size) continue;
        G.col(i) = terms.jacobian.col(static_cast<Eigen::Index>(k));
        touched = true;
      }
      if (!touched) continue;
      JointForce f{system->element_name(element), block.name};
      const Eigen::Vector4d e = block.kind == BlockKind::spatial_body ? Eigen::Vector4d(q.segment<4>(block.first + 3))
                                                                      : Eigen::Vector4d::Zero();
      Wrench sum = Wrench::Zero();
      bool acts = false;
      std::vector<std::pair<int, Wrench>> units;
      for (Eigen::Index row = 0; row < G.rows(); ++row) {
        const int global = terms.rows[static_cast<std::size_t>(row)];
        const Wrench unit = wrench(block, e, G.row(row).transpose());
        acts = acts || unit.norm() > 1e-9 * G.row(row).norm();
        if (global >= 0) sum -= lambda[global] * unit;
        units.emplace_back(global, unit);
      }
      if (!acts) continue;
      for (const auto& [global, unit] : units) determination.add(global, unit);
      determination.end_joint_force();
      f.force = sum.head(3);
      f.torque = sum.tail(3);
      f.point = reference_point(block, q);
      forces.push_back(std::move(f));
    }
  }
  determination.mark(forces);
  return forces;
}

void JointForce::describe(Figures& f) {
  f("joint", joint, "name of the joint");
  f("body", body, "block of coordinates on which it acts");
  f("force", force, "N", "force on the body, in ground axes");
  f("point", point, "m", "reference point of the body, in ground axes");
  f("torque", torque, "N m", "torque on the body about that point");
  f("unique", unique, "true if the motion determines both; false: redundant joints share the load, see Reactions");
}

}  // namespace sunlagrange
