// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/import/import_robot.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/elements/spatial/pose.hpp>

#include "import/description.hpp"
#include "import/rigid_bodies.hpp"
#include "import/start_poses.hpp"
#include "import/xml.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Json = nlohmann::ordered_json;

Json list(const Eigen::VectorXd& x) {
  return std::vector<double>(x.begin(), x.end());
}

/// Returns a shape as model files have it.
struct ShapeDocument {
  Json operator()(const shape::Rod& rod) const {
    return {{"type", "Rod"}, {"length", rod.length}, {"radius", rod.radius}};
  }
  Json operator()(const shape::Box& box) const {
    return {{"type", "Box"}, {"length", box.length}, {"width", box.width}, {"height", box.height}};
  }
  Json operator()(const shape::Cylinder& cylinder) const {
    return {{"type", "Cylinder"}, {"radius", cylinder.radius}, {"height", cylinder.height}};
  }
  Json operator()(const shape::Sphere& sphere) const { return {{"type", "Sphere"}, {"radius", sphere.radius}}; }
};

/// Returns the document of a model file, see MechanismFile.
class ModelDocument {
 public:
  ModelDocument(const RobotDescription& robot, const RigidBodies& parts) : parts_(parts) {
    if (!robot.name.empty()) document_["name"] = robot.name;
    document_["blocks"] = Json::array();
    document_["elements"] = Json::array();
  }

  void add_body(const RigidBody& body, const Eigen::Vector3d& gravity) {
    document_["blocks"].push_back({{"name", body.name}, {"kind", "spatial_body"}});
    const Eigen::Matrix3d& J = body.inertia;
    add("inertia of " + body.name, "SpatialRigidBody", {body.name},
        {{"m", body.mass},
         {"Jxx", J(0, 0)},
         {"Jyy", J(1, 1)},
         {"Jzz", J(2, 2)},
         {"Jxy", J(0, 1)},
         {"Jxz", J(0, 2)},
         {"Jyz", J(1, 2)}});
    if (body.weight && !gravity.isZero(0.0))
      add("weight of " + body.name, "SpatialGravity", {body.name + ".centre"},
          {{"m", body.mass}, {"gx", gravity[0]}, {"gy", gravity[1]}, {"gz", gravity[2]}});
    for (std::size_t k = 0; k < body.visuals.size(); ++k) {
      const RobotVisual& visual = body.visuals[k];
      const Eigen::Matrix3d axes = visual.pose.linear();
      add("shape " + (k > 0 ? std::to_string(k + 1) + " " : "") + "of " + body.name, "SpatialVisual", {body.name},
          {{"shape", std::visit(ShapeDocument(), visual.shape.law)},
           {"at",
            {{"type", "BodyEnd"},
             {"point", list(visual.pose.translation())},
             {"axis", list(axes.col(2))},
             {"x", list(axes.col(0))}}}});
    }
  }

  void add_joint(const RobotJoint& joint) {
    const bool acts = joint.damping != 0.0 || joint.stiffness != 0.0;
    const std::string spring = (joint.stiffness != 0.0 ? "spring of " : "damping of ") + joint.name;
    switch (joint.kind) {
      case RobotJointKind::revolute:
        between(joint, joint.name, "SpatialRevolute", Json::object());
        if (acts)
          between(joint, spring, "SpatialTorsionSpring",
                  {{"k", joint.stiffness}, {"angle0", joint.rest}, {"c", joint.damping}});
        return;
      case RobotJointKind::prismatic:
        between(joint, joint.name, "SpatialPrismatic", Json::object());
        if (acts)
          between(joint, spring, "SpatialAxialSpring",
                  {{"k", joint.stiffness}, {"travel0", joint.rest}, {"c", joint.damping}});
        return;
      case RobotJointKind::spherical:
        return between(joint, joint.name, "SpatialSpherical", Json::object());
      case RobotJointKind::universal:
        return between(joint, joint.name, "SpatialUniversal", Json::object());
      case RobotJointKind::free:
      case RobotJointKind::fixed:
        return;
    }
  }

  /// Holds the coordinate of a revolute or prismatic joint at start + rate t.
  void add_drive(const RobotJoint& joint, double start, double rate) {
    between(joint, "position of " + joint.name,
            joint.kind == RobotJointKind::revolute ? "SpatialDrivenHinge" : "SpatialDrivenSlide",
            {{"law", {{"type", "Uniform"}, {"start", start}, {"rate", rate}}}});
  }

  /// @param q, v  coordinates of all bodies in their order
  void set_start(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    const char* const names[] = {".x", ".y", ".z", ".e0", ".e1", ".e2", ".e3"};
    Json positions = Json::object(), velocities = Json::object();
    for (Eigen::Index k = 0; k < q.size(); ++k) {
      const std::string name = parts_.bodies[static_cast<std::size_t>(k / 7)].name + names[k % 7];
      positions[name] = q[k];
      if (v[k] != 0.0) velocities[name] = v[k];
    }
    document_["start"]["positions"] = std::move(positions);
    if (!velocities.empty()) document_["start"]["velocities"] = std::move(velocities);
  }

  MechanismFile mechanism(const std::string& file) const {
    return parse_mechanism(document_.dump(1) + "\n", file + ", as a model");
  }

 private:
  void between(const RobotJoint& joint, const std::string& name, const char* type, const Json& parameters) {
    Json blocks = Json::array();
    if (joint.parent != ground) blocks.push_back(body(joint.parent).name);
    if (joint.child != ground) blocks.push_back(body(joint.child).name);
    Json all = {
        {"a", end(joint.parent, joint.point, joint.axis)},
        {"b", end(joint.child, joint.point, joint.kind == RobotJointKind::universal ? joint.axis_2 : joint.axis)}};
    all.update(parameters);
    add(name, type, blocks, all);
  }

  const RigidBody& body(int number) const { return parts_.bodies[static_cast<std::size_t>(number)]; }

  void add(const std::string& name, const char* type, const Json& blocks, const Json& parameters) {
    document_["elements"].push_back({{"name", name}, {"type", type}, {"blocks", blocks}, {"parameters", parameters}});
  }

  /// Writes point and axis in the axes of the body that carries them; the x axes of both sides of a joint are one
  /// direction.
  Json end(int number, const Eigen::Vector3d& point, const Eigen::Vector3d& axis) const {
    Eigen::Index across = 0;
    axis.cwiseAbs().minCoeff(&across);
    const Eigen::Vector3d x = (Eigen::Vector3d::Unit(across) - axis[across] * axis).normalized();
    if (number == ground) return {{"type", "GroundEnd"}, {"point", list(point)}, {"axis", list(axis)}, {"x", list(x)}};
    const Eigen::Matrix3d to_body = body(number).axes.transpose();
    return {{"type", "BodyEnd"},
            {"point", list(to_body * (point - body(number).centre))},
            {"axis", list(to_body * axis)},
            {"x", list(to_body * x)}};
  }

  const RigidBodies& parts_;
  Json document_ = Json::object();
};

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw Error(file + ": cannot be read; check the name");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void read(RobotDescription& robot) {
  const std::string& file = robot.file;
  const std::string text = content(file);
  const XmlElement xml = read_xml(text, file);
  const bool is_urdf = xml.name == "robot";
  if (!is_urdf && xml.name != "sdf")
    throw Error(file + ": its root is <" + xml.name + ">, neither <robot> nor <sdf>; URDF and SDFormat are read");
#if SUNLAGRANGE_WITH_URDF
  if (is_urdf) return read_urdf(text, xml, robot);
#endif
#if SUNLAGRANGE_WITH_SDFORMAT
  if (!is_urdf) return read_sdformat(text, xml, robot);
#endif
  throw Error(file +
              (is_urdf
                   ? ": URDF is not read by this build; configure it where CMake finds urdfdom (Debian: liburdfdom-dev)"
                   : ": SDFormat is not read by this build; configure it where CMake finds sdformat12 (Debian: "
                     "libsdformat-dev)"));
}

void hold_bases(RobotDescription& robot, const ImportOptions& options) {
  using Base = ImportOptions::Base;
  if (options.base == Base::free || (options.base == Base::as_described && !robot.bases_are_held)) return;
  for (const int base : robot.bases) {
    if (base == ground) continue;
    const RobotLink& link = robot.links[static_cast<std::size_t>(base)];
    RobotJoint joint;
    joint.name = "base";
    joint.place = link.place;
    joint.child = base;
    robot.joints.push_back(joint);
    if (options.base == Base::as_described)
      robot.notes.add("held by the ground",
                      "URDF does not say whether a robot stands or floats; if it floats: base = free "
                      "(in the program --base free)",
                      "link \"" + link.name + "\"");
  }
}

/// A joint of URDF may have the name of a link, but an element may not have the name of a block.
std::vector<RobotJoint> renamed_joints(const RigidBodies& parts, ImportNotes& notes) {
  std::set<std::string> taken;
  for (const RigidBody& body : parts.bodies) taken.insert(body.name);
  for (const RobotJoint& joint : parts.joints) taken.insert(joint.name);
  std::vector<RobotJoint> joints = parts.joints;
  for (RobotJoint& joint : joints) {
    const bool is_body = std::any_of(parts.bodies.begin(), parts.bodies.end(),
                                     [&](const RigidBody& body) { return body.name == joint.name; });
    if (!is_body) continue;
    std::string name = "joint " + joint.name;
    while (!taken.insert(name).second) name.insert(0, "joint ");
    notes.add("renamed: joints with the name of a link", "block and element need names of their own",
              "joint \"" + joint.name + "\" is element \"" + name + "\"");
    joint.name = name;
  }
  return joints;
}

/// Returns the mechanism. What was noted before an error is in `robot` then.
MechanismFile mechanism_of(RobotDescription& robot, const ImportOptions& options) {
  read(robot);
  hold_bases(robot, options);
  const RigidBodies parts = rigid_bodies(robot, options);
  if (parts.bodies.empty())
    throw Error(robot.file +
                ": nothing moves: all links are held by the ground; let the base move: base = free (in the program "
                "--base free)");
  ModelDocument document(robot, parts);
  const Eigen::Vector3d gravity = robot.gravity.value_or(options.gravity);
  const std::vector<RobotJoint> joints = renamed_joints(parts, robot.notes);
  for (const RigidBody& body : parts.bodies) document.add_body(body, gravity);
  for (const RobotJoint& joint : joints) document.add_joint(joint);
  const auto with_joints_held = [&](const std::vector<HeldJoint>& held) {
    ModelDocument driven = document;
    for (const HeldJoint& joint : held) driven.add_drive(joints[joint.number], joint.start, joint.rate);
    return driven.mechanism(robot.file).system;
  };
  const StartState start = start_state(parts, robot.file, options, with_joints_held);
  document.set_start(start.q, start.v);
  return document.mechanism(robot.file);
}

}  // namespace

ImportedRobot import_robot(const std::string& file, const ImportOptions& options) {
  if (!options.gravity.allFinite()) throw Error("import_robot: gravity is not finite");
  if (!(options.ball_mass >= 0.0) || !(options.ball_radius >= 0.0) ||
      (options.ball_mass > 0.0) != (options.ball_radius > 0.0) ||
      !std::isfinite(options.ball_mass * options.ball_radius))
    throw Error("import_robot: ball_mass = " + text(options.ball_mass) +
                ", ball_radius = " + text(options.ball_radius) + ": both must be positive, or both zero");
  RobotDescription robot;
  robot.file = file;
  try {
    MechanismFile mechanism = mechanism_of(robot, options);
    return {std::move(mechanism), robot.notes.take()};
  } catch (const Error& error) {
    throw Error(error.what() + robot.notes.unknown_text());
  }
}

std::vector<std::string> import_formats() {
  return {
#if SUNLAGRANGE_WITH_URDF
    "URDF",
#endif
#if SUNLAGRANGE_WITH_SDFORMAT
        "SDFormat",
#endif
  };
}

std::string ImportedRobot::notes_text() const {
  std::string lines;
  for (const ImportNote& note : notes) {
    lines += note.what + " (" + note.why + "): ";
    for (std::size_t k = 0; k < note.where.size(); ++k) lines += (k > 0 ? "; " : "") + note.where[k];
    lines += "\n";
  }
  return lines;
}

Eigen::Vector3d internal::unit_axis(const Eigen::Vector3d& axis, const std::string& place, const char* field) {
  if (!axis.allFinite() || !(axis.norm() > 0.0))
    throw Error(place + ": " + field + " = " + text(axis[0]) + " " + text(axis[1]) + " " + text(axis[2]) +
                ": must have a direction");
  return axis.normalized();
}

void ImportNotes::join(std::vector<ImportNote>& list, const std::string& what, const std::string& why,
                       const std::string& where) {
  for (ImportNote& note : list) {
    if (note.what == what && note.why == why) {
      note.where.push_back(where);
      return;
    }
  }
  list.push_back({what, why, {where}});
}

std::string ImportNotes::unknown_text() const {
  std::string lines;
  for (const ImportNote& note : warnings_) {
    if (note.why != unknown && note.what != of_reader) continue;
    lines += "\n" + note.what + " (" + note.why + ")";
    for (std::size_t k = 0; k < note.where.size(); ++k) lines += (k > 0 ? "; " : ": ") + note.where[k];
  }
  return lines;
}

std::vector<ImportNote> ImportNotes::take() {
  std::vector<ImportNote> all = std::move(warnings_);
  all.insert(all.end(), std::make_move_iterator(notes_.begin()), std::make_move_iterator(notes_.end()));
  return all;
}

}  // namespace sunlagrange
