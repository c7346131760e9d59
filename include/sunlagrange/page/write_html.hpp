#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange {

/// One page about a run, in one file that opens in any browser without a network: the verdict and its doubts; the
/// moving picture of the mechanism (elements and models with a member `draw`, model/drawing.hpp), in the plane or in
/// space; coordinates, violations, energies by element, joint forces in ground axes, step sizes and orders, singular
/// passages marked; settings asked and used; references. The numbers are in the file as JSON (in the element `data`):
/// at most 1500 of the recorded states, 300 pictures, and 60 curves of a kind.
///
/// When not: for numbers to go on computing with, Trajectory::write_csv; for runs recorded with Record::ends_only,
/// which leave two states to show.
/// @param system  of the run
/// @param title  e.g. the name of the mechanism
/// @throws Error if the trajectory is empty or of another system; what the model throws
void write_html(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system, std::ostream& out,
                const std::string& title = "run");
/// @throws Error also if the file cannot be written
void write_html(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system, const std::string& path,
                const std::string& title = "run");

}  // namespace sunlagrange
