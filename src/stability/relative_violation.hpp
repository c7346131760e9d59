// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <Eigen/Core>

#include "simulation/checks/violation_measure.hpp"

namespace sunlagrange::internal {

/// Largest constraint error (g, g', psi) of the states of a run, in the relative measures of Report: g over max |G_ij|
/// max |q|, (g', psi) over max |G_ij| max |v|.
class RelativeViolation {
 public:
  explicit RelativeViolation(const MechanicalSystem& system);

  /// Adds a state with the error e. Returns false if the point is declined or e is not finite.
  bool add(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& e);

  /// Returns Report::relative_violation.
  double of_positions() const;

  /// Returns Report::relative_velocity_violation; 0 for a kinematic program.
  double of_velocities() const;

 private:
  const MechanicalSystem& system_;
  std::unique_ptr<Workspace> workspace_;
  ViolationMeasure measure_;
  double largest_of_positions_ = 0.0, largest_of_velocities_ = 0.0;  // displacements
  double position_size_ = 0.0, velocity_size_ = 0.0;
};

}  // namespace sunlagrange::internal
