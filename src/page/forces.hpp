// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/simulation/simulate.hpp>

#include "page/curves.hpp"

/// Forces of joints and drives along a run: at 400 of its states and those where a multiplier is largest, within long
/// steps, and where forces, torques and powers are extreme between the steps.
namespace sunlagrange::internal {

/// One joint on one body along the path.
struct JointCurves {
  std::string joint, body;
  bool about_joint = false, unique = true;
  std::array<std::vector<double>, 6> numbers = {};
  Peak force = {}, torque = {};
  double torque_bound = 0.0;  ///< bound of the torque that the force has by the errors of places alone [N m]
};

/// Returns the forces of the first 60 pairs of a joint and a body, and the times of their states.
std::vector<JointCurves> joint_curves(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system,
                                      std::vector<double>& times);

/// Returns them with the largest ones and the bounds below which components are rounding; null if there are none.
std::string joints_json(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system);

/// An element that does work on the mechanism by a prescribed motion or a force of its own, other than damping.
struct Drive {
  std::string name, unit;           ///< unit of the effort; empty: it acts on several coordinates
  std::vector<double> effort = {};  ///< on the mechanism
  std::vector<double> power = {};   ///< into the mechanism [W]
  Peak largest_effort = {}, largest_power = {}, least_power = {};
  bool works = false;
};

/// Returns the elements that do work on the mechanism, and the times of their states.
std::vector<Drive> drives_of(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system,
                             std::vector<double>& times);

/// Returns force or torque and power of these elements, or null if there are none.
std::string drives_json(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system);

}  // namespace sunlagrange::internal
