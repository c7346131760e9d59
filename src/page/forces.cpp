// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <sunlagrange/model/drawing.hpp>
#include <sunlagrange/model/units.hpp>
#include <sunlagrange/results/power_balance.hpp>
#include <sunlagrange/results/reactions.hpp>

#include "base/json.hpp"
#include "page/forces.hpp"

/// Forces of joints and drives along a run.
namespace sunlagrange::internal {
namespace {

/// Returns the place of the joint in the drawing.
std::optional<Eigen::Vector3d> place_of(const Drawing& drawing, const std::string& joint) {
  for (const Drawing::Shape& shape : drawing.shapes()) {
    if (shape.of != joint || shape.points.empty()) continue;
    if (shape.kind != Drawing::Kind::pin && shape.kind != Drawing::Kind::hinge && shape.kind != Drawing::Kind::block)
      continue;
    return Eigen::Vector3d(shape.points[0].x, shape.points[0].y, shape.points[0].z);
  }
  return std::nullopt;
}

/// Returns some states of the path: at most `most` and those at which a multiplier is largest, in order of time.
std::vector<std::size_t> states_of_forces(const Trajectory& path, std::size_t most) {
  std::vector<std::size_t> states = sampled_states(path.size(), most);
  std::vector<double> largest_of(static_cast<std::size_t>(path.num_constraints()), 0.0);
  std::vector<std::size_t> at(largest_of.size(), 0);
  for (std::size_t k = 0; k < path.size(); ++k) {
    const auto lambda = path.lambda(k);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double size = std::abs(lambda[static_cast<Eigen::Index>(i)]);
      if (!(size > largest_of[i])) continue;
      largest_of[i] = size;
      at[i] = k;
    }
  }
  if (at.size() <= most) states.insert(states.end(), at.begin(), at.end());
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  return states;
}

/// Returns the rounding of the multipliers relative to the largest of them: few_roundings times the condition number of
/// the saddle-point system, 1 / (smallest singular value)^2. More than the root of the rounding says nothing.
double rounding_of_forces(const Report& report) {
  const double weakest = report.smallest_singular_value;
  const double most = std::sqrt(std::numeric_limits<double>::epsilon());
  return weakest > 0.0 ? std::min(few_roundings / (weakest * weakest), most) : few_roundings;
}

}  // namespace

std::vector<JointCurves> joint_curves(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system,
                                      std::vector<double>& times) {
  constexpr std::size_t most_samples = 400, most_joints = 60;
  std::vector<JointCurves> joints;
  if (!system->motion_law().has_forces || system->num_constraints() == 0) return joints;
  const Trajectory& path = run.trajectory;
  for (const std::size_t k : states_of_forces(path, most_samples)) {
    const Eigen::VectorXd q = path.q(k), v = path.v(k), lambda = path.lambda(k);
    const Drawing drawing = draw(*system, path.t(k), q);
    const std::vector<JointForce> forces = joint_forces(system, path.t(k), q, v, lambda);
    if (joints.empty()) {
      for (const JointForce& f : forces) {
        if (joints.size() < most_joints) joints.push_back({f.joint, f.body});
      }
    }
    if (forces.size() < joints.size()) continue;  // an element declined the state
    times.push_back(path.t(k));
    for (std::size_t i = 0; i < joints.size(); ++i) {
      JointCurves& joint = joints[i];
      const JointForce& f = forces[i];
      const std::optional<Eigen::Vector3d> place = place_of(drawing, joint.joint);
      joint.about_joint = place.has_value();
      joint.unique = joint.unique && f.unique;
      const Eigen::Vector3d torque = place ? f.torque_about(*place) : f.torque;
      for (std::size_t j = 0; j < 3; ++j) {
        joint.numbers[j].push_back(f.force[static_cast<Eigen::Index>(j)]);
        joint.numbers[3 + j].push_back(torque[static_cast<Eigen::Index>(j)]);
      }
      joint.force.see(f.force.norm(), path.t(k));
      joint.torque.see(torque.norm(), path.t(k));
      const double reach = place ? place->norm() + (*place - f.point).norm() : 0.0;
      // The other body has the place elsewhere, by as much as the three rows of the joint are off.
      const double off = place ? std::sqrt(3.0) * run.report.max_position_violation : 0.0;
      joint.torque_bound = std::max(joint.torque_bound,
                                    f.force.norm() * (off + few_roundings * reach) + few_roundings * f.torque.norm());
    }
  }
  return joints;
}

std::string joints_json(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system) {
  std::vector<double> times;
  const std::vector<JointCurves> joints = joint_curves(run, system, times);
  if (joints.empty()) return "null";
  double force = 0.0, torque = 0.0;
  for (const JointCurves& j : joints) {
    force = std::max(force, j.force.value);
    if (j.torque.value > j.torque_bound) torque = std::max(torque, j.torque.value);
  }
  const double rounding = rounding_of_forces(run.report);
  std::vector<std::string> list;
  for (const JointCurves& j : joints) {
    json::Object object;
    object.add("joint", json::text(j.joint)).add("body", json::text(j.body));
    object.add("about", json::text(j.about_joint ? "the joint" : "the reference point of the body"));
    object.add("unique", j.unique ? "true" : "false");
    object.add("largest_force", j.force.json()).add("largest_torque", j.torque.json());
    object.add("force_bound", json::number(rounding * force));
    object.add("torque_bound", json::number(j.torque_bound + rounding * torque));
    const char* const names[] = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"};
    for (std::size_t i = 0; i < 6; ++i) object.add(names[i], json::numbers(j.numbers[i]));
    list.push_back(object.str());
  }
  return json::Object()
      .add("t", json::numbers(times))
      .add("states", std::to_string(run.trajectory.size()))
      .add("list", json::list(list))
      .str();
}

namespace {

/// Returns the force that an element exerts on one coordinate, or between two of the same kind.
std::optional<double> exerted(const ElementPower& element) {
  const auto& on = element.variables;
  if (on.empty() || on.size() > 2 || !on.back().domain) return std::nullopt;
  if (on.size() == 2) {
    const double sum = on[0].effort + on[1].effort, size = on[0].effort_size + on[1].effort_size;
    if (on[0].domain != on[1].domain || std::abs(sum) > few_roundings * size) return std::nullopt;
  }
  return -on.back().effort;
}

}  // namespace

std::vector<Drive> drives_of(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system,
                             std::vector<double>& times) {
  constexpr std::size_t most_samples = 400;
  const Trajectory& path = run.trajectory;
  std::vector<Drive> drives;
  if (!system->motion_law().has_forces) return drives;
  for (const std::size_t k : states_of_forces(path, most_samples)) {
    const MotionState state{path.t(k), path.q(k), path.v(k), path.a(k), path.lambda(k)};
    if (!state.a.allFinite() || !state.lambda.allFinite()) continue;
    const PowerBalance balance = power_balance(*system, state);
    if (!balance.status.finished()) continue;
    if (drives.empty()) {
      for (const ElementPower& e : balance.elements)
        drives.push_back({e.name, exerted(e) ? units_of(*e.variables.back().domain).effort : ""});
    }
    times.push_back(state.t);
    for (std::size_t i = 0; i < drives.size(); ++i) {
      const ElementPower& e = balance.elements[i];
      Drive& drive = drives[i];
      const std::optional<double> effort = exerted(e);
      drive.effort.push_back(effort ? *effort : unknown_value);
      if (effort) drive.largest_effort.see(*effort, state.t);
      double size = 0.0;
      for (const UnifiedVariables& on : e.variables) size += on.effort_size * std::abs(on.flow);
      double reactions = 0.0;  // those of rows at rest do work by the violation of velocities only
      const std::vector<int> rows = system->constraint_rows(e.name);
      for (const int row : rows) reactions += std::abs(state.lambda[row]);
      if (rows.empty()) reactions = state.lambda.lpNorm<1>();  // a model that is one element names its rows itself
      const double power = e.prescribed + e.supplied;
      drive.power.push_back(power);
      drive.largest_power.see(std::max(power, 0.0), state.t);
      drive.least_power.see(std::min(power, 0.0), state.t);
      const double rate = std::isfinite(run.report.max_velocity_violation) ? run.report.max_velocity_violation : 0.0;
      const double rounding = few_roundings * size;
      drive.works =
          drive.works || std::abs(e.prescribed) > reactions * rate + rounding || std::abs(e.supplied) > rounding;
    }
  }
  drives.erase(std::remove_if(drives.begin(), drives.end(), [](const Drive& drive) { return !drive.works; }),
               drives.end());
  return drives;
}

std::string drives_json(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system) {
  constexpr std::size_t most_drives = 20;
  std::vector<double> times;
  std::vector<std::string> list;
  for (const Drive& drive : drives_of(run, system, times)) {
    if (list.size() == most_drives) break;
    list.push_back(json::Object()
                       .add("name", json::text(drive.name))
                       .add("unit", json::text(drive.unit))
                       .add("effort", json::numbers(drive.effort))
                       .add("power", json::numbers(drive.power))
                       .add("largest_effort", drive.largest_effort.json())
                       .add("largest_power", drive.largest_power.json())
                       .add("least_power", drive.least_power.json())
                       .str());
  }
  if (list.empty()) return "null";
  return json::Object().add("t", json::numbers(times)).add("list", json::list(list)).str();
}

}  // namespace sunlagrange::internal
