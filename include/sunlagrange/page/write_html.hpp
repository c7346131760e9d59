// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange {

/// Writes a page about a run, one file that opens in any browser without a network. It shows the verdict and its
/// doubts; the moving mechanism, in the plane or in space (elements and models with a member `draw`,
/// model/drawing.hpp); coordinates, violations, energies by element, joint forces in ground axes, step sizes and
/// orders, with singular passages marked; the settings that were asked for and used; references. The numbers are in the
/// file as JSON (in the element `data`): at most 1500 of the recorded states, 300 pictures, and 60 curves of each kind.
///
/// When not: to compute with the numbers use Trajectory::write_csv; a run recorded with Record::ends_only has only two
/// states to show.
/// @param system  the system of the run
/// @param title  e.g. the name of the mechanism; empty: the names of its bodies
/// @throws Error if the trajectory is empty or of another system; exceptions of the model pass through
void write_html(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system, std::ostream& out,
                const std::string& title = {});
/// @throws Error also if the file cannot be written
void write_html(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system, const std::string& path,
                const std::string& title = {});

}  // namespace sunlagrange
