#pragma once

#include <iosfwd>
#include <memory>
#include <string>
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

/// Pages about analyses, made as those of runs (page/write_html.hpp): one file that opens without a network.

/// Eigenvalues, and the shapes of the twelve slowest modes as moving pictures: Re(shape e^(i phase)) about the state of
/// the linearisation, without decay, as large as an eighth of the mechanism and put back onto the constraints.
/// @param modes  modes(linearisation)
/// @throws Error if the linearisation is not finished or of another system; what the model throws
void write_html(const Linearisation& linearisation, const Modes& modes,
                const std::shared_ptr<const MechanicalSystem>& system, std::ostream& out,
                const std::string& title = "modes");
/// @throws Error also if the file cannot be written
void write_html(const Linearisation& linearisation, const Modes& modes,
                const std::shared_ptr<const MechanicalSystem>& system, const std::string& path,
                const std::string& title = "modes");

/// Each equilibrium: its picture, stability, coordinates and joint forces.
/// @param equilibria  e.g. of static_equilibria(), or one of static_equilibrium() that finished
/// @throws Error if there is none, or one is not finished or of another system; what the model throws
void write_html(const std::vector<Equilibrium>& equilibria, const std::shared_ptr<const MechanicalSystem>& system,
                std::ostream& out, const std::string& title = "equilibria");
/// @throws Error also if the file cannot be written
void write_html(const std::vector<Equilibrium>& equilibria, const std::shared_ptr<const MechanicalSystem>& system,
                const std::string& path, const std::string& title = "equilibria");

/// How the driven coordinate of a kinematic analysis moves, for the forces that it needs.
struct DrivenMotion {
  double t = 0.0;  ///< at which the system is looked at
  double speed = 0.0;
  double acceleration = 0.0;
};

/// Each branch: the mechanism moved along it, coordinates and their rates over the driven one, the drive force.
/// @throws Error if no configuration was found, or the system is another; what the model throws
void write_html(const Kinematics& kinematics, const std::shared_ptr<const MechanicalSystem>& system, std::ostream& out,
                const std::string& title = "kinematics", const DrivenMotion& motion = {});
/// @throws Error also if the file cannot be written
void write_html(const Kinematics& kinematics, const std::shared_ptr<const MechanicalSystem>& system,
                const std::string& path, const std::string& title = "kinematics", const DrivenMotion& motion = {});

/// The mechanism following given motions; drives, their power, the motions with rates and accelerations, and what
/// follows from them, over time. Ask for enough times that curves can be drawn.
/// @param motions  those of drive_forces()
/// @throws Error if no time was reached, or system or motions are others; what the model throws
void write_html(const DriveForces& drives, const std::vector<GivenMotion>& motions,
                const std::shared_ptr<const MechanicalSystem>& system, std::ostream& out,
                const std::string& title = "drives");
/// @throws Error also if the file cannot be written
void write_html(const DriveForces& drives, const std::vector<GivenMotion>& motions,
                const std::shared_ptr<const MechanicalSystem>& system, const std::string& path,
                const std::string& title = "drives");

/// Places of the point, by manipulability, with what may bound them; the mechanism going through the combinations.
/// @throws Error if nothing was reached, or the system is another; what the model throws
void write_html(const MechanismWorkspace& workspace, const std::shared_ptr<const MechanicalSystem>& system,
                std::ostream& out, const std::string& title = "workspace");
/// @throws Error also if the file cannot be written
void write_html(const MechanismWorkspace& workspace, const std::shared_ptr<const MechanicalSystem>& system,
                const std::string& path, const std::string& title = "workspace");

/// For each parameter the derivatives of positions, velocities and multipliers over time, and what a relative change of
/// the parameter does at the end. Ask for enough times that curves can be drawn.
/// @throws Error if there is no point, or the system is another
void write_html(const Sensitivities& sensitivities, const std::shared_ptr<const MechanicalSystem>& system,
                std::ostream& out, const std::string& title = "sensitivities");
/// @throws Error also if the file cannot be written
void write_html(const Sensitivities& sensitivities, const std::shared_ptr<const MechanicalSystem>& system,
                const std::string& path, const std::string& title = "sensitivities");

/// The derivatives of one number, what a percent of each parameter makes of it, the largest first.
/// @param functional  what J is, in words
/// @throws Error if there is no gradient
void write_html(const Gradient& gradient, const std::string& functional, std::ostream& out,
                const std::string& title = "gradient");
/// @throws Error also if the file cannot be written
void write_html(const Gradient& gradient, const std::string& functional, const std::string& path,
                const std::string& title = "gradient");

/// A fit: parameters with their deviations, how these hang together, what is confounded; each measurement beside the
/// model, and what is left over.
/// @param measurements  those of identify()
/// @throws Error if there is no fit, or of other measurements
void write_html(const Identification& identification, const std::vector<Measurement>& measurements, std::ostream& out,
                const std::string& title = "identification");
/// @throws Error also if the file cannot be written
void write_html(const Identification& identification, const std::vector<Measurement>& measurements,
                const std::string& path, const std::string& title = "identification");

}  // namespace sunlagrange
