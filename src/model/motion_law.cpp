// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/model/motion_law.hpp>

#include <cmath>

#include <sunlagrange/model/mechanical_system.hpp>

#include "base/numerics.hpp"

namespace sunlagrange {

double MotionLaw::velocity_violation(const Eigen::VectorXd& g_rate) const {
  return has_forces ? internal::max_abs(g_rate) : NAN;
}

MotionLaw MechanicalSystem::motion_law() const {
  MotionLaw law;
  law.has_forces = !first_order();
  law.second_order_rows = law.has_forces ? m_g_ : 0;
  law.velocity_rows = law.has_forces ? num_constraints() : 0;
  law.error_size = m_g_ + law.velocity_rows;
  return law;
}

}  // namespace sunlagrange
