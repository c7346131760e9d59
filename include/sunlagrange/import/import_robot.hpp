// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/files/mechanism_file.hpp>

namespace sunlagrange {

/// Choices that a robot description leaves open.
struct ImportOptions {
  /// Ways to hold the base of the robot.
  enum class Base {
    as_described,  ///< SDFormat: held where a joint to "world" or "static" says so; URDF: the root link is held
    fixed,         ///< the root link of URDF, the canonical links of SDFormat, are held by the ground
    free,          ///< the root link of URDF moves freely, unless it is called "world"; SDFormat: as described
  };
  Base base = Base::as_described;  ///< the base is held or free

  /// [m/s^2], ground axes, for descriptions that say none: URDF, and SDFormat without a world.
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};

  /// Joints away from zero at the start, and their rates: by name, [rad] or [m], for revolute and prismatic joints.
  /// They are held: where joints close loops the other joints follow, and values that contradict each other are
  /// refused.
  std::map<std::string, double> positions, velocities;
  /// Joints of which these values are angles, because they were given in degrees: refused for prismatic joints.
  std::set<std::string> angles;

  /// A solid ball, [kg] and [m], put at the centre of mass of every moving body that has no inertia a rigid body can
  /// have: none at all, or one that violates the triangle inequality. Zero: such a description is refused.
  double ball_mass = 0.0;
  double ball_radius = 0.0;  ///< both or neither are positive
};

/// Something of the description that the mechanism has in another form, or not at all.
struct ImportNote {
  std::string what;                ///< e.g. "left out: <visual>"
  std::string why;                 ///< e.g. "shapes have no part in the motion"
  std::vector<std::string> where;  ///< links and joints, with their lines
};

/// A model file made of a robot description, and what was left out.
struct ImportedRobot {
  MechanismFile mechanism;        ///< all joints start at zero but those of the options
  std::vector<ImportNote> notes;  ///< empty: the mechanism says all that the description says

  /// The notes, one a line; empty if there are none.
  std::string notes_text() const;
};

/// A robot description as the mechanism that a model file describes; mechanism_text() writes it.
///
/// Links become spatial bodies in the axes of their link frame, with mass, centre of mass and inertia as described;
/// links that are held together by fixed joints become one body. Joints become SpatialRevolute (revolute, continuous),
/// SpatialPrismatic, SpatialSpherical (ball), SpatialUniversal; floating joints none. Their damping and springs become
/// SpatialTorsionSpring and SpatialAxialSpring. Loops (SDFormat) are rows like all others: analyse_redundancy names
/// those that repeat others. Everything else that stands in the file is in the notes.
///
/// Formats: URDF where the library was built with urdfdom, SDFormat where it was built with sdformat: import_formats().
/// Not for xacro files (expand them first) and for meshes: they say no inertia.
/// @throws Error naming file, line, link or joint, field and reason
ImportedRobot import_robot(const std::string& file, const ImportOptions& options = {});

/// "URDF", "SDFormat": those that this build reads.
std::vector<std::string> import_formats();

}  // namespace sunlagrange
