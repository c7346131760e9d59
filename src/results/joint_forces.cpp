#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/elements/spatial/pose.hpp>
#include <sunlagrange/results/reactions.hpp>

#include "model/checks/required_system.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

/// Returns E(e), 3 x 4. The angular velocity is 2 E(e) e', so that a generalised force Q on e is the torque E(e) Q / 2.
Eigen::Matrix<double, 3, 4> spin_matrix(const Eigen::Vector4d& e) {
  Eigen::Matrix<double, 3, 4> E;
  E << -e[1], e[0], -e[3], e[2],  //
      -e[2], e[3], e[0], -e[1],   //
      -e[3], -e[2], e[1], e[0];
  return E;
}

/// Returns the generalised forces Q on the coordinates of a block as (force, torque) in ground axes.
Eigen::Matrix<double, 6, 1> wrench(const NamedBlock& block, const Eigen::VectorXd& q, const Eigen::VectorXd& Q) {
  Eigen::Matrix<double, 6, 1> w = Eigen::Matrix<double, 6, 1>::Zero();
  switch (block.kind) {
    case BlockKind::planar_point:
    case BlockKind::spatial_point:
    case BlockKind::translation:
      w.head(block.size) = Q;
      break;
    case BlockKind::planar_body:
      w.head(2) = Q.head(2);
      w[5] = Q[2];
      break;
    case BlockKind::spatial_body:
      w.head(3) = Q.head(3);
      w.tail(3) = 0.5 * spin_matrix(q.segment<4>(block.first + 3)) * Q.tail(4);
      break;
    case BlockKind::rotation:
      w[5] = Q[0];
      break;
    default:
      break;
  }
  return w;
}

Eigen::Vector3d reference_point(const NamedBlock& block, const Eigen::VectorXd& q) {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  const bool planar = block.kind == BlockKind::planar_point || block.kind == BlockKind::planar_body;
  const bool spatial = block.kind == BlockKind::spatial_point || block.kind == BlockKind::spatial_body;
  const int dimension = planar ? 2 : spatial ? 3 : 0;
  p.head(dimension) = q.segment(block.first, dimension);
  return p;
}

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
      Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
      bool acts = false;
      for (Eigen::Index row = 0; row < G.rows(); ++row) {
        const int global = terms.rows[static_cast<std::size_t>(row)];
        const Eigen::Matrix<double, 6, 1> unit = wrench(block, q, G.row(row).transpose());
        acts = acts || unit.norm() > 1e-9 * G.row(row).norm();
        if (global >= 0) sum -= lambda[global] * unit;
      }
      if (!acts) continue;
      f.force = sum.head(3);
      f.torque = sum.tail(3);
      f.point = reference_point(block, q);
      forces.push_back(std::move(f));
    }
  }
  return forces;
}

void JointForce::describe(Figures& f) {
  f("joint", joint, "name of the joint");
  f("body", body, "block of coordinates on which it acts");
  f("force", force, "N", "force on the body, in ground axes");
  f("point", point, "m", "reference point of the body, in ground axes");
  f("torque", torque, "N m", "torque on the body about that point");
}

}  // namespace sunlagrange
