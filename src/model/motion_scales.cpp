// SPDX-License-Identifier: BSD-3-Clause
#include "model/motion_scales.hpp"

#include <algorithm>
#include <cmath>

#include "model/natural_scales.hpp"

namespace sunlagrange::internal {

Scales characteristic_scales(const MechanicalSystem& system, const MotionState& start) {
  const auto norm = [&system](const Eigen::VectorXd& x) { return natural_size(system, x); };
  Scales s;
  if (norm(start.q) > 0.0) s.position = norm(start.q);
  if (start.typical_position > 0.0) s.position = start.typical_position;
  if (norm(start.v) > 0.0) s.time = std::min(s.time, s.position / norm(start.v));
  if (norm(start.a) > 0.0) s.time = std::min(s.time, std::sqrt(s.position / norm(start.a)));
  return s;
}

Eigen::VectorXd lumped_mass(const MechanicalSystem& system, const Workspace& w) {
  Eigen::VectorXd mass = w.M.diagonal();
  assign_missing_masses(system, mass);
  return mass;
}

Eigen::VectorXd squared_row_norms(const PatternMatrix& A, const Eigen::VectorXd& mass, int rows) {
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(rows);
  A.for_each_entry([&](int i, int j, double entry) {
    if (mass[j] > 0.0) sums[i] += entry * entry / mass[j];
  });
  return sums;
}

Eigen::VectorXd lumped_schur_diagonal(const MechanicalSystem& system, const Workspace& w) {
  return squared_row_norms(w.G, lumped_mass(system, w), static_cast<int>(w.gamma.size()));
}

}  // namespace sunlagrange::internal
