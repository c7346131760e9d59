// SPDX-License-Identifier: BSD-3-Clause
#include "stability/relative_violation.hpp"

#include <algorithm>

#include "base/numerics.hpp"
#include "model/evaluation.hpp"

namespace sunlagrange::internal {

RelativeViolation::RelativeViolation(const MechanicalSystem& system, double rate)
    : system_(system), rate_(rate), workspace_(make_workspace(system, Storage::dense)), measure_(system) {}

bool RelativeViolation::add(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& e) {
  Workspace& w = *workspace_;
  if (!e.allFinite() || !evaluate_system(system_, request::jacobian, {t, q.data(), v.data(), nullptr, nullptr}, w)) {
    return false;
  }
  const int m_g = system_.num_position_constraints();
  const double of_q = natural_size(system_, q), of_v = natural_size(system_, v);
  position_size_ = std::max(position_size_, of_q);
  velocity_size_ = std::max(velocity_size_, of_v);
  of_positions_ = std::max(of_positions_, measure_(w, q, of_q, e.head(m_g)).displacement());
  of_velocities_ = std::max(of_velocities_, measure_(w, v, of_v, e.tail(e.size() - m_g)).displacement());
  return true;
}

double RelativeViolation::largest() const {
  const bool only_velocities = system_.num_position_constraints() == 0;
  const double of_velocities =
      only_velocities ? over(velocity_size_, of_velocities_) : over(position_size_, of_velocities_ / rate_);
  return std::max(over(position_size_, of_positions_), of_velocities);
}

}  // namespace sunlagrange::internal
