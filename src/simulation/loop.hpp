#pragma once

#include "events/runner.hpp"
#include "simulation/monitor.hpp"

namespace sunlagrange::internal {

/// AtSingularity::stop found this one.
Status stopped_at(const RankEvent& event);

/// The loop over accepted steps: until t_end, until Simulation::status says why not, or up to an event that changes
/// something. @return true: the run goes on from events.restart_state() with a new stepper
bool integrate(Stepper& stepper, RunMonitor& monitor, EventRunner& events, const SimulationOptions& o, Simulation& run);

}  // namespace sunlagrange::internal
