#include <string>
#include <utility>
#include <vector>

#include <ignition/math/Inertial.hh>
#include <ignition/math/Pose3.hh>
#include <sdf/sdf.hh>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "import/left_out.hpp"
#include "import/numbers.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

const Understood understood = {{"sdf/model",
                                "sdf/world",
                                "world/model",
                                "world/gravity",
                                "model/model",
                                "model/link",
                                "model/joint",
                                "model/static",
                                "model/pose",
                                "model/frame",
                                "frame/pose",
                                "world/frame",
                                "link/pose",
                                "link/inertial",
                                "inertial/pose",
                                "inertial/mass",
                                "inertial/inertia",
                                "inertia/ixx",
                                "inertia/ixy",
                                "inertia/ixz",
                                "inertia/iyy",
                                "inertia/iyz",
                                "inertia/izz",
                                "link/gravity",
                                "joint/pose",
                                "joint/parent",
                                "joint/child",
                                "joint/axis",
                                "joint/axis2",
                                "axis/xyz",
                                "axis2/xyz",
                                "axis/dynamics",
                                "axis2/dynamics",
                                "dynamics/damping",
                                "dynamics/spring_reference",
                                "dynamics/spring_stiffness"},
                               {"name", "version", "type", "relative_to", "expressed_in", "attached_to",
                                "canonical_link", "placement_frame", "rotation_format", "degrees"}};

XmlElement copied(const sdf::ElementPtr& from) {
  XmlElement element;
  element.name = from->GetName();
  element.line = from->LineNumber().value_or(0);
  if (from->GetValue() != nullptr) element.text = from->GetValue()->GetAsString();
  for (const sdf::ParamPtr& a : from->GetAttributes()) {
    if (a->GetSet()) element.attributes.emplace_back(a->GetKey(), a->GetAsString());
  }
  for (sdf::ElementPtr child = from->GetFirstElement(); child != nullptr; child = child->GetNextElement()) {
    if (child->GetExplicitlySetInFile()) element.children.push_back(copied(child));
  }
  return element;
}

Eigen::Vector3d vector(const ignition::math::Vector3d& x) {
  return {x.X(), x.Y(), x.Z()};
}

Eigen::Matrix3d matrix(const ignition::math::Matrix3d& from) {
  Eigen::Matrix3d A;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) A(i, j) = from(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  }
  return A;
}

Eigen::Isometry3d isometry(const ignition::math::Pose3d& pose) {
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() = Eigen::Quaterniond(pose.Rot().W(), pose.Rot().X(), pose.Rot().Y(), pose.Rot().Z())
                   .normalized()
                   .toRotationMatrix();
  T.translation() = vector(pose.Pos());
  return T;
}

class Reader {
 public:
  Reader(std::string file, RobotDescription& robot) : file_(std::move(file)), robot_(robot) {}

  /// Reads a model that is not inside another one.
  void add_root(const sdf::Model& model, const Eigen::Isometry3d& pose, const std::string& prefix) {
    add_model(model, pose, prefix, model.Static());
    const auto [link, name] = model.CanonicalLinkAndRelativeName();
    if (link != nullptr && !model.Static()) robot_.bases.push_back(number_of(prefix + name));
  }

  /// @throws Error with the first of the errors that sdformat reports
  void demand(const sdf::Errors& errors, const std::string& where) const {
    if (errors.empty()) return;
    std::string all;
    for (const sdf::Error& error : errors) all += (all.empty() ? "" : "; ") + error.Message();
    throw Error(where + ": " + all);
  }

 private:
  /// @param prefix  of the names inside it: "" or "name of the model::"
  void add_model(const sdf::Model& model, const Eigen::Isometry3d& pose, const std::string& prefix, bool is_static) {
    for (std::uint64_t k = 0; k < model.LinkCount(); ++k) add_link(*model.LinkByIndex(k), pose, prefix, is_static);
    for (std::uint64_t k = 0; k < model.ModelCount(); ++k) {
      const sdf::Model& nested = *model.ModelByIndex(k);
      ignition::math::Pose3d in_parent;
      demand(nested.SemanticPose().Resolve(in_parent, "__model__"), place(nested.Element(), "model", nested.Name()));
      add_model(nested, pose * isometry(in_parent), prefix + nested.Name() + "::", is_static || nested.Static());
    }
    for (std::uint64_t k = 0; k < model.JointCount(); ++k) add_joint(*model.JointByIndex(k), pose, prefix);
  }

  std::string place(const sdf::ElementPtr& element, const char* kind, const std::string& name) const {
    const int line = element != nullptr ? element->LineNumber().value_or(0) : 0;
    return file_ + (line > 0 ? ":" + std::to_string(line) : "") + ": " + kind + " \"" + name + "\"";
  }

  int number_of(const std::string& name) const {
    for (const auto& [known, number] : scope_) {
      if (known == name) return number;
    }
    return ground;
  }

  void add_link(const sdf::Link& from, const Eigen::Isometry3d& model, const std::string& prefix, bool is_static) {
    const std::string name = prefix + from.Name();
    if (is_static) {
      scope_.emplace_back(name, ground);
      robot_.notes.add("held by the ground", "static", "link \"" + name + "\"");
      return;
    }
    RobotLink link;
    link.name = name;
    link.place = place(from.Element(), "link", name);
    ignition::math::Pose3d in_model;
    demand(from.SemanticPose().Resolve(in_model, "__model__"), link.place);
    link.pose = model * isometry(in_model);
    const sdf::ElementPtr element = from.Element();
    if (element != nullptr && element->HasElement("inertial")) {
      const ignition::math::Inertiald& inertial = from.Inertial();
      link.mass = inertial.MassMatrix().Mass();
      link.centre = vector(inertial.Pose().Pos());
      link.inertia = matrix(inertial.Moi());
    } else {
      robot_.notes.add("taken as without mass", "SDFormat would give it 1 kg: it says no <inertial>",
                       "link \"" + name + "\"");
    }
    if (element != nullptr && element->HasElement("gravity")) link.weight = element->Get<bool>("gravity");
    scope_.emplace_back(name, static_cast<int>(robot_.links.size()));
    robot_.links.push_back(link);
  }

  void add_joint(const sdf::Joint& from, const Eigen::Isometry3d& model, const std::string& prefix) {
    RobotJoint joint;
    joint.name = prefix + from.Name();
    joint.place = place(from.Element(), "joint", joint.name);
    std::string parent, child;
    demand(from.ResolveParentLink(parent), joint.place);
    demand(from.ResolveChildLink(child), joint.place);
    joint.parent = parent == "world" ? ground : number_of(prefix + parent);
    joint.child = child == "world" ? ground : number_of(prefix + child);
    ignition::math::Pose3d in_model;
    demand(from.SemanticPose().Resolve(in_model, "__model__"), joint.place);
    joint.point = model * vector(in_model.Pos());
    joint.kind = kind_of(from, joint.place);
    const bool universal = joint.kind == RobotJointKind::universal;
    const bool ball = joint.kind == RobotJointKind::spherical;
    const sdf::JointAxis* const axis = from.Axis(0);
    const sdf::JointAxis* const axis_2 = from.Axis(1);
    if (axis == nullptr && !ball && joint.kind != RobotJointKind::fixed) throw Error(joint.place + ": has no <axis>");
    if (axis_2 == nullptr && universal) throw Error(joint.place + ": has no <axis2>");
    if (axis != nullptr) {
      joint.axis = direction(*axis, model, joint.place, "axis xyz");
      joint.damping = axis->Damping();
      joint.stiffness = axis->SpringStiffness();
      joint.rest = axis->SpringReference();
    }
    if (universal) {
      joint.axis_2 = direction(*axis_2, model, joint.place, "axis2 xyz");
      if (std::abs(joint.axis.dot(joint.axis_2)) > 1e-9)
        throw Error(joint.place + ": axis and axis2 meet under a cosine of " + text(joint.axis.dot(joint.axis_2)) +
                    ", must be 0: a universal joint has its axes normal to each other; put a link between two revolute "
                    "joints");
    } else if (axis_2 != nullptr) {
      robot_.notes.add("left out: <axis2>", "only universal joints have a second axis", joint.place);
    }
    if (universal || ball) {
      if (acts(axis) || acts(axis_2))
        robot_.notes.add("left out: damping and springs of ball and universal joints", "no element has them",
                         joint.place);
      joint.damping = joint.stiffness = 0.0;
    }
    robot_.joints.push_back(joint);
  }

  static bool acts(const sdf::JointAxis* axis) {
    return axis != nullptr && (axis->Damping() != 0.0 || axis->SpringStiffness() != 0.0);
  }

  Eigen::Vector3d direction(const sdf::JointAxis& axis, const Eigen::Isometry3d& model, const std::string& where,
                            const char* field) const {
    ignition::math::Vector3d xyz;
    demand(axis.ResolveXyz(xyz, "__model__"), where);
    return unit_axis(model.linear() * vector(xyz), where, field);
  }

  static RobotJointKind kind_of(const sdf::Joint& joint, const std::string& place) {
    switch (joint.Type()) {
      case sdf::JointType::FIXED:
        return RobotJointKind::fixed;
      case sdf::JointType::REVOLUTE:
      case sdf::JointType::CONTINUOUS:
        return RobotJointKind::revolute;
      case sdf::JointType::PRISMATIC:
        return RobotJointKind::prismatic;
      case sdf::JointType::BALL:
        return RobotJointKind::spherical;
      case sdf::JointType::UNIVERSAL:
      case sdf::JointType::REVOLUTE2:
        return RobotJointKind::universal;
      case sdf::JointType::SCREW:
        throw Error(place + ": type screw has no element; use a prismatic or a revolute joint");
      case sdf::JointType::GEARBOX:
        throw Error(place + ": type gearbox has no element in space; remove it, the joints it couples stay");
      default:
        throw Error(place + ": its type is not known; take revolute, continuous, prismatic, ball, universal, fixed");
    }
  }

  std::string file_;
  RobotDescription& robot_;
  std::vector<std::pair<std::string, int>> scope_;  // links by name
};

}  // namespace

RobotDescription internal::read_sdformat(const std::string& text, const std::string& file) {
  check_sdformat_numbers(text, understood, file);
  sdf::Console::Instance()->SetQuiet(true);
  RobotDescription robot;
  Reader reader(file, robot);
  sdf::Root root;
  reader.demand(root.Load(file), file + ": no SDFormat");
  if (root.Model() != nullptr) {
    const sdf::Model& model = *root.Model();
    robot.name = model.Name();
    ignition::math::Pose3d pose;
    reader.demand(model.SemanticPose().Resolve(pose, "__root__"), file + ": model \"" + model.Name() + "\"");
    reader.add_root(model, isometry(pose), "");
  } else if (root.WorldCount() > 0) {
    const sdf::World& world = *root.WorldByIndex(0);
    robot.name = world.Name();
    robot.gravity = vector(world.Gravity());
    for (std::uint64_t k = 0; k < world.ModelCount(); ++k) {
      const sdf::Model& model = *world.ModelByIndex(k);
      ignition::math::Pose3d pose;
      reader.demand(model.SemanticPose().Resolve(pose, "world"), file + ": model \"" + model.Name() + "\"");
      reader.add_root(model, isometry(pose), world.ModelCount() > 1 ? model.Name() + "::" : "");
    }
    if (root.WorldCount() > 1)
      robot.notes.add("left out: worlds after the first", "a mechanism is one world", root.WorldByIndex(1)->Name());
  } else {
    throw Error(file + ": has no <model> and no <world>");
  }
  note_left_out(copied(root.Element()), understood, robot.notes);
  return robot;
}

}  // namespace sunlagrange
