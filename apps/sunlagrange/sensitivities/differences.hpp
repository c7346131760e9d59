#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/sensitivities.hpp>
#include <sunlagrange/simulation/simulate.hpp>

/// Derivatives by differences of runs, which `sensitivities --check` holds against its own.
namespace sunlagrange::program {

using SystemPointer = std::shared_ptr<const MechanicalSystem>;

/// What a run from a start comes to; NaN if it did not finish.
using EndOf = std::function<Eigen::VectorXd(const SystemPointer& system, const InitialState& start)>;

/// A derivative, entry by entry.
struct Difference {
  Eigen::VectorXd value;        ///< NaN where runs did not finish
  Eigen::VectorXd uncertainty;  ///< of it, as the table of extrapolation tells; infinite there
};

/// How far a motion goes, and how fast, over the natural scales of its coordinates; at most 1, which stands for none,
/// too.
struct MotionSize {
  double positions = 1.0, velocities = 1.0;
};

/// As its states tell.
MotionSize motion_size(const MechanicalSystem& system, const std::vector<const MotionState*>& states);

/// By one parameter or start value: Richardson's extrapolation of central differences with three steps; of the table
/// the entry that differs least from its neighbours, by as much as it does [Ridders' rule]. Not-a-number where a value
/// nearby is not allowed, as at the bound of a parameter.
/// @param from  consistent
/// @param count  of entries
Difference difference_by(const SystemParameter& about, const SystemPointer& system, const InitialState& from,
                         const MotionSize& motion, const EndOf& end_of, Eigen::Index count);

/// Options of such runs: tolerances so much tighter than those of the run that is checked that steps may be small.
SimulationOptions options_for_differences(SimulationOptions options, const MotionSize& motion);

/// What counts as one of it: itself, of zeros 1, of start values the natural scale of the coordinate, or as much of it
/// as the motion has.
double size_of(const SystemParameter& about, const MechanicalSystem& system, const MotionSize& motion);

}  // namespace sunlagrange::program
