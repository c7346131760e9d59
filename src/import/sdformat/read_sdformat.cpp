// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#if SUNLAGRANGE_WITH_URDF
#include <console_bridge/console.h>
#endif
#include <ignition/math/Inertial.hh>
#include <ignition/math/Pose3.hh>
#include <sdf/sdf.hh>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "import/left_out.hpp"
#include "import/numbers.hpp"

namespace sunlagrange {

using namespace internal;
namespace fs = std::filesystem;
namespace {

const Understood understood = {
    {"sdf/model",
     "sdf/world",
     "world/model",
     "world/gravity",
     "world/include",
     "world/frame",
     "model/model",
     "model/link",
     "model/joint",
     "model/static",
     "model/pose",
     "model/frame",
     "model/include",
     "include/uri",
     "include/name",
     "include/pose",
     "include/static",
     "frame/pose",
     "link/pose",
     "link/inertial",
     "link/gravity",
     "link/visual",
     "visual/pose",
     "visual/geometry",
     "geometry/box",
     "geometry/cylinder",
     "geometry/sphere",
     "geometry/mesh",
     "box/size",
     "cylinder/radius",
     "cylinder/length",
     "sphere/radius",
     "mesh/uri",
     "mesh/scale",
     "inertial/pose",
     "inertial/mass",
     "inertial/inertia",
     "inertia/ixx",
     "inertia/ixy",
     "inertia/ixz",
     "inertia/iyy",
     "inertia/iyz",
     "inertia/izz",
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
     "include/placement_frame",
     "dynamics/spring_reference",
     "dynamics/spring_stiffness"},
    {"sdf@version", "world@name", "model@name", "model@canonical_link", "model@placement_frame", "link@name",
     "joint@name", "joint@type", "frame@name", "frame@attached_to", "pose@relative_to", "pose@rotation_format",
     "pose@degrees", "xyz@expressed_in", "include@merge", "visual@name"},
    {"model", "world", "link", "joint", "frame", "include", "visual"}};

/// Up to version 1.6 a pose names its frame by `frame`, and an axis by <use_parent_model_frame>. sdformat converts
/// both.
Understood with_older_words(Understood words) {
  for (const char* const element : {"axis/use_parent_model_frame", "axis2/use_parent_model_frame"})
    words.elements.emplace_back(element);
  words.attributes.emplace_back("pose@frame");
  return words;
}

const Understood understood_up_to_1_6 = with_older_words(understood);

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

#if SUNLAGRANGE_WITH_URDF
class Silence {
 public:
  Silence() { console_bridge::noOutputHandler(); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() { console_bridge::restorePreviousOutputHandler(); }
};
#endif

/// The files of a description as they stand: the one given, and those that it includes.
class Files {
 public:
  explicit Files(RobotDescription& robot) : robot_(robot) {}

  /// Notes what is not understood. @throws Error if something is no number, or a file includes itself
  void examine(const XmlElement& sdf, const std::string& file) {
    if (!known_.insert(fs::weakly_canonical(file).string()).second) return;
    const Understood& words = version_of(sdf, file) < std::pair(1, 7) ? understood_up_to_1_6 : understood;
    note_left_out(sdf, words, robot_.notes, file == robot_.file ? "" : file);
    check_sdformat_numbers(sdf, words, file);
    open_.push_back(fs::weakly_canonical(file).string());
    follow(sdf, file);
    open_.pop_back();
  }

 private:
  /// Returns the version of the format; that of the library if the file says none, which the library refuses.
  std::pair<int, int> version_of(const XmlElement& sdf, const std::string& file) {
    const std::string* const said = sdf.attribute("version");
    int major = 0, minor = 0, most_major = 0, most_minor = 0;
    std::sscanf(SDF_PROTOCOL_VERSION, "%d.%d", &most_major, &most_minor);
    if (said == nullptr) return {most_major, most_minor};
    int end = 0;
    const bool numbers = said->find_first_not_of("0123456789.") == std::string::npos &&
                         std::sscanf(said->c_str(), "%4d.%4d%n", &major, &minor, &end) == 2;
    if (!numbers || static_cast<std::size_t>(end) != said->size())
      throw Error(file + ":" + std::to_string(sdf.line) + ": <sdf> version = \"" + *said +
                  "\": must be two whole numbers with a point between them, e.g. " SDF_PROTOCOL_VERSION);
    if (std::pair(major, minor) > std::pair(most_major, most_minor))
      robot_.notes.warn("left out: what version " + *said + " of the format adds",
                        "this build reads SDFormat up to " SDF_PROTOCOL_VERSION,
                        file + ", line " + std::to_string(sdf.line));
    return {major, minor};
  }

  /// @throws Error of its values if no rigid body can have them; sdformat names neither line nor field
  static void check_inertial(const XmlElement& inertial, const std::string& place) {
    const XmlElement* const inertia = inertial.child("inertia");
    std::string values;
    const auto value = [&values](const XmlElement* parent, const char* name, double by_default) {
      const XmlElement* const said = parent != nullptr ? parent->child(name) : nullptr;
      const double number = said != nullptr ? number_of(said->text) : by_default;
      values += (values.empty() ? "" : ", ") + std::string(name) + " = " + text(number) +
                (said == nullptr ? " (default)" : "");
      return number;
    };
    const double mass = value(&inertial, "mass", 1.0);
    const double xx = value(inertia, "ixx", 1.0), yy = value(inertia, "iyy", 1.0), zz = value(inertia, "izz", 1.0);
    const double xy = value(inertia, "ixy", 0.0), xz = value(inertia, "ixz", 0.0), yz = value(inertia, "iyz", 0.0);
    if (ignition::math::MassMatrix3d(mass, {xx, yy, zz}, {xy, xz, yz}).IsValid()) return;
    throw Error(place + ": " + values +
                ": the mass must be at least 0, and so must the principal moments of inertia, of which none may exceed "
                "the sum of the other two; correct them, and write what has the default of the format");
  }

  void follow(const XmlElement& parent, const std::string& file) {
    for (const XmlElement& child : parent.children) {
      const std::string place = file + ":" + std::to_string(child.line) + ": <" + child.name + ">";
      if (const std::string* const says = child.attribute("auto");
          child.name == "inertial" && says != nullptr && *says != "false" && *says != "0")
        throw Error(place + " auto = " + *says +
                    ": masses are not computed from shapes and densities; write <mass> and <inertia>");
      if (parent.name == "link" && child.name == "inertial") {
        const std::string* const link = parent.attribute("name");
        check_inertial(child, place + " of link \"" + (link != nullptr ? *link : "") + "\"");
      }
      if (child.name == "include" && child.child("uri") != nullptr) include(child.child("uri")->text, file, place);
      follow(child, file);
    }
  }

  void include(const std::string& uri, const std::string& file, const std::string& place) {
    std::error_code none;
    fs::path found = fs::path(file).parent_path() / uri;
    if (!fs::exists(found, none)) found = sdf::findFile(uri, true, false);
    if (fs::is_directory(found, none)) found = sdf::getModelFilePath(found.string());
    if (found.empty() || !fs::is_regular_file(found, none)) return;  // the reader of the format says so
    const std::string name = fs::weakly_canonical(found).string();
    if (std::find(open_.begin(), open_.end(), name) != open_.end())
      throw Error(place + ": \"" + uri + "\" includes itself, so that the description has no end");
    std::ifstream stream(found, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    const XmlElement xml = read_xml(text.str(), found.string());
    if (xml.name == "sdf") examine(xml, found.string());
  }

  RobotDescription& robot_;
  std::set<std::string> known_;
  std::vector<std::string> open_;  ///< files that include each other, down to the one that is examined
};

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
    for (const sdf::Error& error : errors) {
      const int line = error.LineNumber().value_or(0);
      all += (all.empty() ? "" : "; ") + (line > 0 ? "line " + std::to_string(line) + ": " : "") + error.Message();
    }
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
    const ignition::math::Inertiald& inertial = from.Inertial();  // the default of the format if it says none
    link.mass = inertial.MassMatrix().Mass();
    link.centre = vector(inertial.Pose().Pos());
    link.inertia = matrix(inertial.Moi());
    const sdf::ElementPtr element = from.Element();
    note_defaults(element, name);
    if (element != nullptr && element->HasElement("gravity")) link.weight = element->Get<bool>("gravity");
    for (std::uint64_t k = 0; k < from.VisualCount(); ++k) add_visual(*from.VisualByIndex(k), link);
    scope_.emplace_back(name, static_cast<int>(robot_.links.size()));
    robot_.links.push_back(link);
  }

  void add_visual(const sdf::Visual& from, RobotLink& link) {
    if (from.Geom() == nullptr) return;
    ignition::math::Pose3d in_link;
    demand(from.SemanticPose().Resolve(in_link), link.place);
    const auto add = [&](const Solid& shape) { link.visuals.push_back({shape, isometry(in_link)}); };
    if (const sdf::Box* const box = from.Geom()->BoxShape())
      add(shape::Box{box->Size().X(), box->Size().Y(), box->Size().Z()});
    else if (const sdf::Cylinder* const cylinder = from.Geom()->CylinderShape())
      add(shape::Cylinder{cylinder->Radius(), cylinder->Length()});
    else if (const sdf::Sphere* const sphere = from.Geom()->SphereShape())
      add(shape::Sphere{sphere->Radius()});
    else if (const sdf::Mesh* const mesh = from.Geom()->MeshShape())
      robot_.notes.not_drawn("mesh \"" + mesh->Uri() + "\"", link.name);
  }

  void note_defaults(const sdf::ElementPtr& link, const std::string& name) {
    const auto says = [](const sdf::ElementPtr& element, const char* child) {
      return element != nullptr && element->HasElement(child) && element->GetElement(child)->GetExplicitlySetInFile();
    };
    const sdf::ElementPtr inertial = says(link, "inertial") ? link->GetElement("inertial") : nullptr;
    const auto taken = [&](const char* what, const char* child) {
      if (!says(inertial, child))
        robot_.notes.warn(std::string("taken: ") + what,
                          "the default of the format where <" + std::string(child) + "> is missing",
                          "link \"" + name + "\"");
    };
    const sdf::ElementPtr inertia = says(inertial, "inertia") ? inertial->GetElement("inertia") : nullptr;
    for (const char* const moment : {"ixx", "iyy", "izz"}) {
      if (inertia != nullptr && !says(inertia, moment))
        robot_.notes.warn(std::string("taken: ") + moment + " = 1 kg m^2",
                          "the default of the format where <" + std::string(moment) + "> is missing",
                          "link \"" + name + "\"");
    }
    taken("a mass of 1 kg", "mass");
    taken("moments of inertia of 1 kg m^2 about all axes", "inertia");
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
      robot_.notes.warn("left out: <axis2>", "only universal joints have a second axis", joint.place);
    }
    if (universal || ball) {
      if (acts(axis) || acts(axis_2))
        robot_.notes.warn("left out: damping and springs of ball and universal joints", "no element has them",
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

void internal::read_sdformat(const std::string&, const XmlElement& xml, RobotDescription& robot) {
  sdf::Console::Instance()->SetQuiet(true);
#if SUNLAGRANGE_WITH_URDF
  const Silence no_messages_of_urdfdom;  // sdformat tries what it cannot read as URDF
#endif
  Files(robot).examine(xml, robot.file);
  Reader reader(robot.file, robot);
  sdf::Root root;
  const std::string whole_name = fs::absolute(robot.file).string();  // a relative one may be found elsewhere
  reader.demand(root.Load(whole_name), robot.file + ": no SDFormat");
  if (root.Model() != nullptr) {
    const sdf::Model& model = *root.Model();
    robot.name = model.Name();
    ignition::math::Pose3d pose;
    reader.demand(model.SemanticPose().Resolve(pose, "__root__"), robot.file + ": model \"" + model.Name() + "\"");
    reader.add_root(model, isometry(pose), "");
  } else if (root.WorldCount() > 0) {
    const sdf::World& world = *root.WorldByIndex(0);
    robot.name = world.Name();
    robot.gravity = vector(world.Gravity());
    for (std::uint64_t k = 0; k < world.ModelCount(); ++k) {
      const sdf::Model& model = *world.ModelByIndex(k);
      ignition::math::Pose3d pose;
      reader.demand(model.SemanticPose().Resolve(pose, "world"), robot.file + ": model \"" + model.Name() + "\"");
      reader.add_root(model, isometry(pose), world.ModelCount() > 1 ? model.Name() + "::" : "");
    }
    if (root.WorldCount() > 1)
      robot.notes.warn("left out: worlds after the first", "a mechanism is one world", root.WorldByIndex(1)->Name());
  } else {
    throw Error(robot.file + ": has no <model> and no <world>");
  }
}

}  // namespace sunlagrange
