// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include <sunlagrange/elements/shapes.hpp>
#include <sunlagrange/import/import_robot.hpp>

/// A robot of links and joints, as URDF and SDFormat describe it, with their poses while all joints are at zero.
namespace sunlagrange::internal {

constexpr int ground = -1;  // stands for the number of a link

/// A shape of a link for the picture.
struct RobotVisual {
  Solid shape;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  // of its centre and axes, link axes
};

struct RobotLink {
  std::string name;
  std::string place;                                       // "robot.urdf:12: link \"arm\"", begins messages
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  // of the link frame, in ground axes
  double mass = 0.0;                                       // [kg]
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();        // of mass, link axes [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();       // about it, link axes [kg m^2]
  bool weight = true;
  std::vector<RobotVisual> visuals;
};

enum class RobotJointKind { fixed, revolute, prismatic, spherical, universal, free };

struct RobotJoint {
  std::string name;
  std::string place;
  RobotJointKind kind = RobotJointKind::fixed;
  int parent = ground, child = ground;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();    // ground axes
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();    // ground axes, unit length; of a universal joint that of parent
  Eigen::Vector3d axis_2 = Eigen::Vector3d::UnitY();  // of a universal joint that of child
  double damping = 0.0, stiffness = 0.0, rest = 0.0;  // about or along the axis [N m s/rad, N m/rad, rad; N s/m, ...]
};

/// Joins notes of one kind to one note with all its places. Warnings, on which the motion depends, come first.
class ImportNotes {
 public:
  static constexpr const char* unknown = "the importer does not know it";
  static constexpr const char* of_reader = "urdfdom says";  ///< begins the notes that have the words of urdfdom

  /// Notes a shape that the picture of the mechanism lacks.
  /// @param shape  in words: "mesh \"arm.stl\""
  void not_drawn(const std::string& shape, const std::string& link) {
    add("not drawn: " + shape, "the picture has boxes, cylinders and spheres", "link \"" + link + "\"");
  }

  void add(const std::string& what, const std::string& why, const std::string& where) {
    join(notes_, what, why, where);
  }
  void warn(const std::string& what, const std::string& why, const std::string& where) {
    join(warnings_, what, why, where);
  }

  /// Returns what the importer does not know and what urdfdom says, for the messages of errors that may follow from it;
  /// empty if there is nothing.
  std::string unknown_text() const;
  std::vector<ImportNote> take();

 private:
  static void join(std::vector<ImportNote>& list, const std::string& what, const std::string& why,
                   const std::string& where);

  std::vector<ImportNote> warnings_, notes_;
};

struct RobotDescription {
  std::string name;
  std::string file;
  std::vector<RobotLink> links;  // the first link of a rigid body gives its axes
  std::vector<RobotJoint> joints;
  std::optional<Eigen::Vector3d> gravity;
  std::vector<int> bases;  // links that ImportOptions::Base applies to
  bool bases_are_held = false;
  ImportNotes notes;
};

struct XmlElement;

/// Read a description. What was noted before an error is in `robot` then.
/// @param text  of the file
/// @param xml   the same as a tree
/// @throws Error of file and line
void read_urdf(const std::string& text, const XmlElement& xml, RobotDescription& robot);
void read_sdformat(const std::string& text, const XmlElement& xml, RobotDescription& robot);

/// @throws Error "place: joint: what"
Eigen::Vector3d unit_axis(const Eigen::Vector3d& axis, const std::string& place, const char* field);

}  // namespace sunlagrange::internal
