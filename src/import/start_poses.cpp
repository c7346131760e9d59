// SPDX-License-Identifier: BSD-3-Clause
#include "import/start_poses.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/elements/spatial/pose.hpp>

namespace sunlagrange {

using namespace internal;
namespace {

double value_of(const std::map<std::string, double>& values, const std::string& joint) {
  const auto found = values.find(joint);
  return found == values.end() ? 0.0 : found->second;
}

bool has_coordinate(const RobotJoint& joint) {
  return joint.kind == RobotJointKind::revolute || joint.kind == RobotJointKind::prismatic;
}

void check_names(const RigidBodies& robot, const std::string& file, const std::map<std::string, double>& values) {
  std::vector<std::string_view> known;
  for (const RobotJoint& joint : robot.joints) {
    if (has_coordinate(joint)) known.push_back(joint.name);
  }
  for (const auto& entry : values) {
    const std::string& name = entry.first;
    bool found = false;
    for (const std::string_view joint : known) found = found || joint == name;
    if (found) continue;
    try {
      throw_unknown("joint", name, known);
    } catch (const Error& error) {
      throw Error(file + ": revolute or prismatic " + error.what());
    }
  }
}

/// Displacement and velocity of one body, from its pose with all joints at zero.
struct Displacement {
  Eigen::Isometry3d moved = Eigen::Isometry3d::Identity();
  Eigen::Vector3d spin = Eigen::Vector3d::Zero();   // angular velocity, ground axes
  Eigen::Vector3d drift = Eigen::Vector3d::Zero();  // velocity of the point at the origin of the ground
};

Eigen::Isometry3d motion(const RobotJoint& joint, double value) {
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  if (joint.kind == RobotJointKind::prismatic) T.translation() = value * joint.axis;
  if (joint.kind == RobotJointKind::revolute) {
    T.linear() = Eigen::AngleAxisd(value, joint.axis).toRotationMatrix();
    T.translation() = joint.point - T.linear() * joint.point;
  }
  return T;
}

/// Returns the pose on the other side of a joint; `sign` = 1 from parent to child.
Displacement across(const RobotJoint& joint, const Displacement& from, double sign, const ImportOptions& options,
                    double part) {
  Displacement to = from;
  if (!has_coordinate(joint)) return to;
  to.moved = from.moved * motion(joint, sign * part * value_of(options.positions, joint.name));
  const double rate = sign * value_of(options.velocities, joint.name);
  const Eigen::Vector3d axis = from.moved.linear() * joint.axis;
  if (joint.kind == RobotJointKind::revolute) {
    to.spin += rate * axis;
    to.drift += rate * (from.moved * joint.point).cross(axis);
  } else {
    to.drift += rate * axis;
  }
  return to;
}

/// Computes the displacements along a tree of joints from the ground, and from every body that no joint connects to it.
/// @param part  of the positions that are asked for
std::vector<Displacement> start_displacements(const RigidBodies& robot, const ImportOptions& options, double part) {
  const std::size_t count = robot.bodies.size();
  std::vector<Displacement> result(count);
  std::vector<bool> known(count, false);
  std::vector<int> next = {ground};
  for (std::size_t start = 0; start <= count; ++start) {
    for (std::size_t k = 0; k < next.size(); ++k) {
      const int here = next[k];
      for (const RobotJoint& joint : robot.joints) {
        if (joint.kind == RobotJointKind::free || (joint.parent != here && joint.child != here)) continue;
        const int there = joint.parent == here ? joint.child : joint.parent;
        if (there == ground || known[static_cast<std::size_t>(there)]) continue;
        const Displacement from = here == ground ? Displacement() : result[static_cast<std::size_t>(here)];
        result[static_cast<std::size_t>(there)] = across(joint, from, joint.parent == here ? 1.0 : -1.0, options, part);
        known[static_cast<std::size_t>(there)] = true;
        next.push_back(there);
      }
    }
    if (start == count) break;
    next.clear();
    if (!known[start]) next.push_back(static_cast<int>(start));
    known[start] = true;
  }
  return result;
}

/// Returns the coordinates that belong to displacements along the tree.
StartState along_tree(const RigidBodies& robot, const ImportOptions& options, double part) {
  const std::vector<Displacement> all = start_displacements(robot, options, part);
  const auto n = static_cast<Eigen::Index>(7 * robot.bodies.size());
  StartState start{Eigen::VectorXd(n), Eigen::VectorXd(n)};
  for (std::size_t k = 0; k < robot.bodies.size(); ++k) {
    const RigidBody& body = robot.bodies[k];
    const Displacement& at = all[k];
    const SpatialPose pose{at.moved * body.centre, euler_parameters(Eigen::Matrix3d(at.moved.linear() * body.axes))};
    const auto first = static_cast<Eigen::Index>(7 * k);
    start.q.segment<7>(first) = pose.coordinates();
    start.v.segment<7>(first) = pose.rates(at.drift + at.spin.cross(pose.position), at.spin);
  }
  return start;
}

/// Returns the change of the coordinates; Euler parameters of either sign are one orientation.
Eigen::VectorXd change(const Eigen::VectorXd& from, const Eigen::VectorXd& to) {
  Eigen::VectorXd step = to - from;
  for (Eigen::Index k = 3; k < to.size(); k += 7) {
    if (from.segment<4>(k).dot(to.segment<4>(k)) < 0.0) step.segment<4>(k) = -to.segment<4>(k) - from.segment<4>(k);
  }
  return step;
}

/// Returns the coordinate of a joint: the child's angle about, or travel along, the axis of the parent.
double coordinate(const RigidBodies& robot, const RobotJoint& joint, const Eigen::VectorXd& q) {
  const auto displacement = [&](int number) {
    Eigen::Isometry3d moved = Eigen::Isometry3d::Identity();
    if (number == ground) return moved;
    const RigidBody& body = robot.bodies[static_cast<std::size_t>(number)];
    const SpatialPose pose = SpatialPose::of(q, 7 * number);
    moved.linear() = pose.rotation() * body.axes.transpose();
    moved.translation() = pose.position - moved.linear() * body.centre;
    return moved;
  };
  const Eigen::Isometry3d parent = displacement(joint.parent), child = displacement(joint.child);
  const Eigen::Matrix3d to_parent = parent.linear().transpose();
  if (joint.kind == RobotJointKind::prismatic)
    return joint.axis.dot(to_parent * (child * joint.point - parent.translation()) - joint.point);
  const Eigen::Vector3d across = joint.axis.unitOrthogonal(), turned = to_parent * (child.linear() * across);
  return std::atan2(joint.axis.cross(across).dot(turned), across.dot(turned));
}

std::string asked_text(const ImportOptions& options) {
  std::string all;
  for (const auto& [what, values] : {std::pair("position", &options.positions), {"velocity", &options.velocities}}) {
    for (const auto& [joint, value] : *values)
      all += (all.empty() ? "" : ", ") + std::string(what) + " of " + joint + " = " + text(value);
  }
  return all;
}

/// Returns a consistent state, in which the rows of driven joints hold like all others.
/// @throws Error if there is none
StartState consistent(const std::shared_ptr<const MechanicalSystem>& system, double t, const StartState& guess,
                      const std::string& file, const ImportOptions& options) {
  const ConsistentState found = consistent_state(system, {t, guess.q, guess.v});
  if (!found.report.feasible || !found.report.velocities_feasible)
    throw Error(file + ": " + asked_text(options) +
                ": joints that close loops do not allow these values together (row \"" + found.report.worst_constraint +
                "\" is off); ask for fewer joints, the others follow");
  return {found.state.q, found.state.v};
}

StartState in_loops(const RigidBodies& robot, const std::string& file, const ImportOptions& options,
                    const WithJointsHeld& with_joints_held) {
  constexpr double longest_step = 0.1;  // [rad], [m]
  constexpr int most_steps = 1000;
  double largest = 0.0;
  std::vector<HeldJoint> positions, rates;
  for (std::size_t k = 0; k < robot.joints.size(); ++k) {
    const auto asked = options.positions.find(robot.joints[k].name);
    if (asked == options.positions.end()) continue;
    positions.push_back({k, 0.0, asked->second});  // reached at t = 1
    largest = std::max(largest, std::abs(asked->second));
  }
  const int steps = static_cast<int>(std::min(std::ceil(largest / longest_step), 1.0 * most_steps));
  const auto to_positions = with_joints_held(positions);
  StartState tree = along_tree(robot, options, 0.0), now = tree;
  // Joints that loops move leave the tree. This difference is continued from step to step, so that loops pass singular
  // poses on their branch; where there is no loop it is zero.
  Eigen::VectorXd beside = Eigen::VectorXd::Zero(tree.q.size());
  for (int k = 0; k <= steps; ++k) {
    const double part = steps > 0 ? static_cast<double>(k) / steps : 1.0;
    const StartState next = along_tree(robot, options, part);
    const Eigen::VectorXd along = change(tree.q, next.q), before = now.q;
    now.q += along + beside;
    now.v.setZero();
    now = consistent(to_positions, part, now, file, options);
    beside = k > 0 ? Eigen::VectorXd(now.q - before - along) : beside;
    tree = next;
  }
  for (std::size_t k = 0; k < robot.joints.size(); ++k) {
    const RobotJoint& joint = robot.joints[k];
    const bool placed = options.positions.count(joint.name) > 0, moved = options.velocities.count(joint.name) > 0;
    if (!placed && !moved) continue;
    const double at = placed ? value_of(options.positions, joint.name) : coordinate(robot, joint, now.q);
    if (moved) rates.push_back({k, at, value_of(options.velocities, joint.name)});
  }
  now.v = along_tree(robot, options, 1.0).v;
  if (rates.empty()) now.v.setZero();
  return consistent(with_joints_held(rates), 0.0, now, file, options);
}

}  // namespace

StartState internal::start_state(const RigidBodies& robot, const std::string& file, const ImportOptions& options,
                                 const WithJointsHeld& with_joints_held) {
  check_names(robot, file, options.positions);
  check_names(robot, file, options.velocities);
  for (const RobotJoint& joint : robot.joints) {
    if (joint.kind == RobotJointKind::prismatic && options.angles.count(joint.name) > 0)
      throw Error(file + ": joint \"" + joint.name + "\" is prismatic; give its position in m");
  }
  StartState tree = along_tree(robot, options, 1.0);
  if (options.positions.empty() && options.velocities.empty()) return tree;
  const ConsistencyReport found = consistent_state(with_joints_held({}), {0.0, tree.q, tree.v}).report;
  constexpr double rounding = 1e-12;
  const bool open = !(found.position_violation_before <= rounding * (1.0 + tree.q.cwiseAbs().maxCoeff())) ||
                    !(found.velocity_violation_before <= rounding * (1.0 + tree.v.cwiseAbs().maxCoeff()));
  return open ? in_loops(robot, file, options, with_joints_held) : tree;
}

}  // namespace sunlagrange
