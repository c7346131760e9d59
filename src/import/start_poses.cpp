#include "import/start_poses.hpp"

#include <string_view>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/status.hpp>

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
Displacement across(const RobotJoint& joint, const Displacement& from, double sign, const ImportOptions& options) {
  Displacement to = from;
  if (!has_coordinate(joint)) return to;
  to.moved = from.moved * motion(joint, sign * value_of(options.positions, joint.name));
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

}  // namespace

std::vector<Displacement> internal::start_displacements(const RigidBodies& robot, const std::string& file,
                                                        const ImportOptions& options) {
  check_names(robot, file, options.positions);
  check_names(robot, file, options.velocities);
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
        result[static_cast<std::size_t>(there)] = across(joint, from, joint.parent == here ? 1.0 : -1.0, options);
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

}  // namespace sunlagrange
