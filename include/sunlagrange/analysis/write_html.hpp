// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sunlagrange/analysis/drive_forces.hpp>
#include <sunlagrange/analysis/gradient.hpp>
#include <sunlagrange/analysis/identify.hpp>
#include <sunlagrange/analysis/kinematics.hpp>
#include <sunlagrange/analysis/modes.hpp>
#include <sunlagrange/analysis/sensitivities.hpp>
#include <sunlagrange/analysis/static_equilibrium.hpp>
#include <sunlagrange/analysis/workspace.hpp>

namespace sunlagrange {

/// The stream that a page is written to, or the path of a file that is made for it:
///
///     write_html(equilibria, system, "equilibria.html");
///     write_html(equilibria, system, std::cout);
class PageOutput {
 public:
  /// The stream must outlive this object.
  PageOutput(std::ostream& stream) : stream_(&stream) {}
  /// The file is replaced when the page is written.
  PageOutput(std::string path) : path_(std::move(path)) {}
  /// The same for a literal.
  PageOutput(const char* path) : path_(path) {}

  std::ostream* stream() const { return stream_; }  ///< null: a file
  /// Empty: a stream.
  const std::string& path() const { return path_; }

 private:
  std::ostream* stream_ = nullptr;
  std::string path_;
};

/// Pages about analyses, in the form of those about runs (page/write_html.hpp): one file that opens without a network.
/// All functions throw Error if the file cannot be written. An empty title names the analysis and what moves.

/// Writes the eigenvalues, and the shapes of the twelve slowest modes as moving pictures: Re(shape e^(i phase)) about
/// the state of the linearisation, without decay, with an eighth of the size of the mechanism as amplitude, and
/// projected onto the constraints.
/// @param modes  modes(linearisation)
/// @throws Error if the linearisation is not finished or belongs to another system; exceptions of the model
void write_html(const Linearisation& linearisation, const Modes& modes,
                const std::shared_ptr<const MechanicalSystem>& system, const PageOutput& out,
                const std::string& title = {});

/// Writes each equilibrium: picture, stability, coordinates and joint forces.
/// @param equilibria  e.g. of static_equilibria(), or a finished one of static_equilibrium()
/// @throws Error if there is none, or one is not finished or belongs to another system; exceptions of the model
void write_html(const std::vector<Equilibrium>& equilibria, const std::shared_ptr<const MechanicalSystem>& system,
                const PageOutput& out, const std::string& title = {});

/// Motion of the driven coordinate of a kinematic analysis, for the drive forces.
struct DrivenMotion {
  double t = 0.0;             ///< time of the configurations [s]
  double speed = 0.0;         ///< rate of the driven coordinate, in its unit per second
  double acceleration = 0.0;  ///< its second derivative, in its unit per s^2
};

/// Writes each branch: the mechanism moving along it, coordinates and their rates over the driven one, and the drive
/// force.
/// @throws Error if no configuration was found, or the system is a different one; exceptions of the model
void write_html(const Kinematics& kinematics, const std::shared_ptr<const MechanicalSystem>& system,
                const PageOutput& out, const std::string& title = {}, const DrivenMotion& motion = {});

/// Writes the mechanism that follows given motions: drives, their power, the motions with rates and accelerations, and
/// the other coordinates over time. There should be enough times for curves.
/// @param motions  those of drive_forces()
/// @throws Error if no time was reached, or system or motions are different ones; exceptions of the model
void write_html(const DriveForces& drives, const std::vector<GivenMotion>& motions,
                const std::shared_ptr<const MechanicalSystem>& system, const PageOutput& out,
                const std::string& title = {});

/// Writes the places of the point by manipulability, the candidates of the boundary, and the mechanism moving through
/// the combinations.
/// @throws Error if nothing was reached, or the system is a different one; exceptions of the model
void write_html(const MechanismWorkspace& workspace, const std::shared_ptr<const MechanicalSystem>& system,
                const PageOutput& out, const std::string& title = {});

/// Writes, for each parameter, the derivatives of positions, velocities and multipliers over time, and the effect of a
/// relative change at the end. There should be enough times for curves.
/// @throws Error if there is no point, or the system is a different one
void write_html(const Sensitivities& sensitivities, const std::shared_ptr<const MechanicalSystem>& system,
                const PageOutput& out, const std::string& title = {});

/// Writes the derivatives of a functional and the effect of one percent of each parameter, the largest first.
/// @param functional  name of J in words
/// @throws Error if there is no gradient
void write_html(const Gradient& gradient, const std::string& functional, const PageOutput& out,
                const std::string& title = "gradient");

/// Writes a fit: parameters with deviations and correlations, confounded parameters, and each measurement beside the
/// model with its residuals.
/// @param measurements  those of identify()
/// @throws Error if there is no fit, or it belongs to other measurements
void write_html(const Identification& identification, const std::vector<Measurement>& measurements,
                const PageOutput& out, const std::string& title = "identification");

}  // namespace sunlagrange
