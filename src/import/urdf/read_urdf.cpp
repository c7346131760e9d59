// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "import/left_out.hpp"
#include "import/numbers.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

const Understood understood = {
    {"robot/link", "link/inertial", "inertial/origin", "inertial/mass", "inertial/inertia", "link/visual",
     "visual/origin", "visual/geometry", "geometry/box", "geometry/cylinder", "geometry/sphere", "geometry/mesh",
     "robot/joint", "joint/origin", "joint/parent", "joint/child", "joint/axis", "joint/dynamics"},
    {"robot@name",      "robot@version",   "link@name",        "joint@name",    "joint@type",
     "origin@xyz",      "origin@rpy",      "mass@value",       "inertia@ixx",   "inertia@ixy",
     "inertia@ixz",     "inertia@iyy",     "inertia@iyz",      "inertia@izz",   "parent@link",
     "child@link",      "axis@xyz",        "dynamics@damping", "visual@name",   "box@size",
     "cylinder@radius", "cylinder@length", "sphere@radius",    "mesh@filename", "mesh@scale"},
    {"link", "joint", "visual"}};

/// Stores the messages that urdfdom would print on stderr.
class Listener : public console_bridge::OutputHandler {
 public:
  Listener() {
    level_ = console_bridge::getLogLevel();
    console_bridge::setLogLevel(console_bridge::CONSOLE_BRIDGE_LOG_WARN);
    console_bridge::useOutputHandler(this);
  }
  ~Listener() override {
    console_bridge::restorePreviousOutputHandler();
    console_bridge::setLogLevel(level_);
  }
  void log(const std::string& text, console_bridge::LogLevel, const char*, int) override {
    heard += (heard.empty() ? "" : "; ") + text;
  }

  std::string heard;

 private:
  console_bridge::LogLevel level_;
};

Eigen::Vector3d vector(const urdf::Vector3& x) {
  return {x.x, x.y, x.z};
}

Eigen::Isometry3d isometry(const urdf::Pose& pose) {
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  const urdf::Rotation& r = pose.rotation;
  T.linear() = Eigen::Quaterniond(r.w, r.x, r.y, r.z).normalized().toRotationMatrix();
  T.translation() = vector(pose.position);
  return T;
}

RobotJointKind kind_of(const urdf::Joint& joint, const std::string& place) {
  switch (joint.type) {
    case urdf::Joint::REVOLUTE:
    case urdf::Joint::CONTINUOUS:
      return RobotJointKind::revolute;
    case urdf::Joint::PRISMATIC:
      return RobotJointKind::prismatic;
    case urdf::Joint::FLOATING:
      return RobotJointKind::free;
    case urdf::Joint::FIXED:
      return RobotJointKind::fixed;
    default:
      throw Error(place + ": type planar has no element; say it as two prismatic joints and a revolute one");
  }
}

/// Adds links and joints in the order of the tree, from its root.
class Reader {
 public:
  Reader(const urdf::ModelInterface& model, const XmlElement& xml, std::string file, RobotDescription& robot)
      : file_(std::move(file)), robot_(robot) {
    for (const XmlElement& child : xml.children) {
      for (const auto& [name, value] : child.attributes) {
        if (name == "name") lines_[child.name + value] = child.line;
      }
    }
    const urdf::Link& root = *model.getRoot();
    if (root.name == "world") {
      follow(root, ground, Eigen::Isometry3d::Identity());
      return;
    }
    const int base = add_link(root, Eigen::Isometry3d::Identity());
    robot_.bases = {base};
    robot_.bases_are_held = true;
    follow(root, base, Eigen::Isometry3d::Identity());
  }

 private:
  std::string place(const char* kind, const std::string& name) const {
    return file_ + ":" + std::to_string(lines_.at(kind + name)) + ": " + kind + " \"" + name + "\"";
  }

  int add_link(const urdf::Link& from, const Eigen::Isometry3d& pose) {
    RobotLink link;
    link.name = from.name;
    link.place = place("link", from.name);
    link.pose = pose;
    if (from.inertial) {
      const urdf::Inertial& given = *from.inertial;
      const Eigen::Isometry3d frame = isometry(given.origin);
      Eigen::Matrix3d J;
      J << given.ixx, given.ixy, given.ixz, given.ixy, given.iyy, given.iyz, given.ixz, given.iyz, given.izz;
      link.mass = given.mass;
      link.centre = frame.translation();
      link.inertia = frame.linear() * J * frame.linear().transpose();
    }
    for (const urdf::VisualSharedPtr& visual : from.visual_array) add_visual(*visual, link);
    robot_.links.push_back(link);
    return static_cast<int>(robot_.links.size()) - 1;
  }

  void add_visual(const urdf::Visual& from, RobotLink& link) {
    if (from.geometry == nullptr) return;  // urdfdom says so
    const auto add = [&](const Solid& shape) { link.visuals.push_back({shape, isometry(from.origin)}); };
    if (const auto* const box = dynamic_cast<const urdf::Box*>(from.geometry.get()))
      add(shape::Box{box->dim.x, box->dim.y, box->dim.z});
    else if (const auto* const cylinder = dynamic_cast<const urdf::Cylinder*>(from.geometry.get()))
      add(shape::Cylinder{cylinder->radius, cylinder->length});
    else if (const auto* const sphere = dynamic_cast<const urdf::Sphere*>(from.geometry.get()))
      add(shape::Sphere{sphere->radius});
    else if (const auto* const mesh = dynamic_cast<const urdf::Mesh*>(from.geometry.get()))
      robot_.notes.not_drawn("mesh \"" + mesh->filename + "\"", link.name);
  }

  /// Handles a link that is already the child of another joint: its frame must be that of this joint, too.
  void check_closed(const RobotJoint& joint, const std::string& link, const Eigen::Isometry3d& frame) const {
    constexpr double closed = 1e-4;  // [m], and of unit vectors: descriptions have few digits
    const double open =
        (robot_.links[static_cast<std::size_t>(joint.child)].pose.matrix() - frame.matrix()).lpNorm<Eigen::Infinity>();
    if (!(open <= closed))
      throw Error(joint.place + ": link \"" + link +
                  "\" is the child of another joint already, and with all joints at "
                  "zero this one would have it elsewhere, by " +
                  text(open) +
                  " (m, or of a unit vector): URDF is a tree. A link of its own at the joint, welded to \"" + link +
                  "\", can be child of both if the loop is closed there; else say it in SDFormat, or leave this joint "
                  "out and add it to the model file as an element, e.g. SpatialRevolute");
  }

  void follow(const urdf::Link& parent, int number, const Eigen::Isometry3d& pose) {
    for (const urdf::JointSharedPtr& from : parent.child_joints) {
      RobotJoint joint;
      joint.name = from->name;
      joint.place = place("joint", from->name);
      joint.kind = kind_of(*from, joint.place);
      const Eigen::Isometry3d frame = pose * isometry(from->parent_to_joint_origin_transform);
      joint.point = frame.translation();
      if (joint.kind == RobotJointKind::revolute || joint.kind == RobotJointKind::prismatic)
        joint.axis = frame.linear() * unit_axis(vector(from->axis), joint.place, "axis xyz");
      if (from->dynamics) joint.damping = from->dynamics->damping;
      joint.parent = number;
      // A link that two joints join to this parent stands twice in child_links.
      const auto child =
          std::find_if(parent.child_links.begin(), parent.child_links.end(),
                       [&](const urdf::LinkSharedPtr& link) { return link->name == from->child_link_name; });
      const auto added = std::find_if(robot_.links.begin(), robot_.links.end(),
                                      [&](const RobotLink& link) { return link.name == from->child_link_name; });
      if (added != robot_.links.end()) {
        joint.child = static_cast<int>(added - robot_.links.begin());
        check_closed(joint, added->name, frame);
        robot_.joints.push_back(joint);
      } else if (child != parent.child_links.end()) {
        joint.child = add_link(**child, frame);
        robot_.joints.push_back(joint);
        follow(**child, joint.child, frame);
      }
    }
  }

  std::string file_;
  RobotDescription& robot_;
  std::map<std::string, int> lines_;
};

/// Refuses an <inertial> that is not complete: urdfdom drops all of it and keeps the link.
void check_inertials(const XmlElement& robot, const std::string& file) {
  for (const XmlElement& link : robot.children) {
    const XmlElement* const inertial = link.name == "link" ? link.child("inertial") : nullptr;
    if (inertial == nullptr) continue;
    const std::string* const name = link.attribute("name");
    const auto require = [&](const char* element, const char* attribute, const char* meaning) {
      const XmlElement* const found = inertial->child(element);
      if (found != nullptr && found->attribute(attribute) != nullptr) return;
      throw Error(file + ":" + std::to_string((found != nullptr ? found : inertial)->line) + ": link \"" +
                  (name != nullptr ? *name : "") + "\": " +
                  (found != nullptr ? std::string("<") + element + "> has no " + attribute
                                    : std::string("<inertial> has no <") + element + ">") +
                  ": write <" + element + " " + attribute + "=\"...\">, " + meaning +
                  ", or remove the <inertial> if the link has no inertia");
    };
    require("mass", "value", "the mass in kg");
    for (const char* const moment : {"ixx", "iyy", "izz"}) require("inertia", moment, "a moment of inertia in kg m^2");
    for (const char* const product : {"ixy", "ixz", "iyz"})
      require("inertia", product, "a product of inertia in kg m^2, also if it is 0");
  }
}

}  // namespace

void internal::read_urdf(const std::string& text, const XmlElement& xml, RobotDescription& robot) {
  const std::string& file = robot.file;
  for (const XmlElement& child : xml.children) {
    if (child.name.rfind("xacro:", 0) == 0)
      throw Error(file + ":" + std::to_string(child.line) + ": <" + child.name +
                  "> is a macro of xacro; expand them first: xacro " + file + " > robot.urdf");
  }
  note_left_out(xml, understood, robot.notes);
  check_urdf_numbers(xml, understood, file);
  check_inertials(xml, file);
  static std::mutex one_listener;
  const std::lock_guard<std::mutex> guard(one_listener);
  Listener listener;
  const urdf::ModelInterfaceSharedPtr model = urdf::parseURDF(text);
  if (model == nullptr)
    throw Error(file + ": no URDF: " + (listener.heard.empty() ? "urdfdom gives no reason" : listener.heard));
  if (!listener.heard.empty()) robot.notes.warn(ImportNotes::of_reader, listener.heard, file);
  robot.name = model->getName();
  const Reader reader(*model, xml, file, robot);
}

}  // namespace sunlagrange
