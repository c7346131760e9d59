// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/internal/sparse_pattern.hpp>
#include <sunlagrange/model/mechanical_system.hpp>

namespace sunlagrange::internal {

/// Decides between the multipliers of redundant rows. Of all lambda with the same force G^T lambda the one is taken for
/// which the forces of the rows have the least sum of squares,
///
///     sum w_i lambda_i^2,     w_i = |F_i|^2, or |T_i|^2 / L^2 if the row exerts torques only.
///
/// F_i and T_i are the largest force and torque that the row exerts on a body or a point for lambda_i = 1. A row that
/// exerts neither is kinematic, such as the norm of Euler parameters, and has a weight of rounding. L is the root mean
/// square distance of the lines of action, those on each body from the point nearest to all of them. Hence neither the
/// scaling of a row, nor the unit of length, nor the reference point of a body changes the forces. A row of generic or
/// non-mechanical coordinates has w_i = 1.
class RowForces {
 public:
  explicit RowForces(const MechanicalSystem& system);

  /// True if no block of the system can bear a force: all w_i are 1.
  bool all_alike() const { return bodies_.empty(); }

  /// For each row: true for the norm of Euler parameters, which exerts no force in any configuration.
  const std::vector<bool>& kinematic() const { return kinematic_; }

  /// Computes the weights, length m. No allocation after the first call. One copy of the object for each thread.
  /// @param G  values in the slots of the pattern
  void weigh(const SparsePattern& jacobian, const double* G, double* weights);

 private:
  struct Body {
    NamedBlock block;
    int norm_row = -1;   // kinematic row whose gradient is along the Euler parameters; -1: none is known
    double along = 1.0;  // sign of that gradient
  };
  struct Lines;

  void find_norm_rows(const MechanicalSystem& system);
  void add_body(const Body& body, const SparsePattern& jacobian, const double* G, Lines& lines);
  double* entries(int row) { return entries_.data() + static_cast<std::ptrdiff_t>(row) * 7; }

  int m_;
  std::vector<Body> bodies_;  // and points, lengths and angles
  std::vector<int> others_;   // coordinates without forces
  std::vector<bool> kinematic_;
  Eigen::VectorXd entries_, force_, torque_;  // of each row: entries in one block; largest squares
  std::vector<int> touched_;                  // rows with entries in the block
  std::vector<bool> is_touched_, other_;
};

/// Returns those of a system, found at the first use. Copy them to call weigh().
std::shared_ptr<const RowForces> row_forces(const MechanicalSystem& system);

/// Returns E(e), 3 x 4, row by row. The angular velocity is 2 E(e) e', so that a generalised force Q on e is the torque
/// E(e) Q / 2.
Eigen::Matrix<double, 3, 4> spin_matrix(const Eigen::Vector4d& e);

/// Returns the generalised forces Q on the coordinates of a block as (force, torque) in ground axes; zero for blocks
/// without forces.
/// @param e  Euler parameters of a spatial body
Eigen::Matrix<double, 6, 1> wrench(const NamedBlock& block, const Eigen::Vector4d& e, const Eigen::VectorXd& Q);

}  // namespace sunlagrange::internal
