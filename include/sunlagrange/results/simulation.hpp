#pragma once

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/results/report.hpp>
#include <sunlagrange/results/trajectory.hpp>

namespace sunlagrange {

class Figures;

/// Result of a run, as simulate() and Stepper::finish() return it.
struct Simulation {
  Status status;
  Trajectory trajectory;  ///< every recorded state up to Report::t_reached, in every outcome
  Report report;

  void describe(Figures& f);
};

}  // namespace sunlagrange
