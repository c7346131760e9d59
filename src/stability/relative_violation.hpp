// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include <Eigen/Core>

#include "simulation/checks/violation_measure.hpp"

namespace sunlagrange::internal {

/// Largest constraint error (g, g', psi) of the states of a run, in the relative measure of Report: g over max |G_ij|
/// max |q|, velocity errors over that and `rate`. Of systems without rows g, psi over max |G_ij| max |v|.
class RelativeViolation {
 public:
  RelativeViolation(const MechanicalSystem& system, double rate);

  /// Adds a state with the error e. Returns false if the point is declined or e is not finite.
  bool add(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& e);

  double largest() const;

 private:
  const MechanicalSystem& system_;
  double rate_;
  std::unique_ptr<Workspace> workspace_;
  ViolationMeasure measure_;
  double of_positions_ = 0.0, of_velocities_ = 0.0;  // displacements
  double position_size_ = 0.0, velocity_size_ = 0.0;
};

}  // namespace sunlagrange::internal
