// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/results/report.hpp>
#include <sunlagrange/results/trajectory.hpp>

namespace sunlagrange {

class Figures;

/// Result of a run, as simulate() and Stepper::finish() return it: the outcome with doubts about it, the motion, and
/// the report. A run that ends early keeps everything up to there.
///
/// @code
/// const Simulation run = simulate(system, start, options);
/// if (!run.status.finished()) std::cerr << run.status.message << "\n";
/// for (const Doubt& doubt : run.status.doubts) std::cerr << doubt.text << "\n";
/// std::cout << "angle at the end: " << run.trajectory.q(run.trajectory.size() - 1)[2] << "\n";
/// @endcode
struct Simulation {
  Status status;          ///< outcome, message and doubts
  Trajectory trajectory;  ///< every recorded state up to Report::t_reached, in every outcome
  Report report;          ///< settings, counts, violations, energies and events; filled in every outcome

  void describe(Figures& f);
};

}  // namespace sunlagrange
