// SPDX-License-Identifier: BSD-3-Clause
#include "stability/relative_violation.hpp"

#include <algorithm>

#include "base/numerics.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {

RelativeViolation::RelativeViolation(const MechanicalSystem& system)
    : system_(system), workspace_(make_workspace(system, Storage::dense)), measure_(system) {}

bool RelativeViolation::add(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& e) {
  Workspace& w = *workspace_;
  if (!e.allFinite() || !evaluate_system(system_, request::jacobian, {t, q.data(), v.data(), nullptr, nullptr}, w)) {
    return false;
  }
  const int m_g = system_.num_position_constraints();
  const double of_q = natural_size(system_, q), of_v = natural_size(system_, v);
  position_size_ = std::max(position_size_, of_q);
  velocity_size_ = std::max(velocity_size_, of_v);
  largest_of_positions_ = std::max(largest_of_positions_, measure_(w, q, of_q, e.head(m_g)).displacement());
  largest_of_velocities_ =
      std::max(largest_of_velocities_, measure_(w, v, of_v, e.tail(e.size() - m_g)).displacement());
  return true;
}

double RelativeViolation::of_positions() const {
  return ratio(largest_of_positions_, position_size_);
}

double RelativeViolation::of_velocities() const {
  return ratio(largest_of_velocities_, velocity_size_);
}

}  // namespace sunlagrange::internal
