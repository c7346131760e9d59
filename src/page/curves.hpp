#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/simulation/simulate.hpp>

/// What write_html() reads off a run, as JSON for page.js and run.js.
namespace sunlagrange::internal {

/// At most `most` of the recorded states, the first and the last among them.
std::vector<std::size_t> sampled_states(const Trajectory& trajectory, std::size_t most);

/// Pictures of the mechanism, equidistant in time where every step is recorded, else the recorded states; null if
/// nothing draws itself. @throws Error if an element draws other shapes at another state
std::string scene_json(const Simulation& run, const MechanicalSystem& system);

/// {"t": [...], groups of {"name", "unit", "y"}}: coordinates, velocities, multipliers, violations, energies.
std::string curves_json(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system);

/// joint_forces() along the run, about the joint where the drawing says where that is.
std::string joints_json(const Simulation& run, const std::shared_ptr<const MechanicalSystem>& system);

}  // namespace sunlagrange::internal
