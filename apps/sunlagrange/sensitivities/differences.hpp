// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/sensitivities.hpp>
#include <sunlagrange/simulation/simulate.hpp>

/// Derivatives by differences of runs, with which `sensitivities --check` compares the sensitivities.
namespace sunlagrange::program {

using SystemPointer = std::shared_ptr<const MechanicalSystem>;

/// Returns the result of a run from a start; NaN if it did not finish.
using EndOf = std::function<Eigen::VectorXd(const SystemPointer& system, const InitialState& start)>;

/// A derivative by differences.
struct Difference {
  Eigen::VectorXd value;        ///< NaN if a run did not finish
  Eigen::VectorXd uncertainty;  ///< estimated from the table of extrapolation; infinite if a run did not finish
};

/// Largest displacement and rate of a motion over the natural scales of its coordinates; at most 1, and 1 if the motion
/// has none.
struct MotionSize {
  double positions = 1.0, velocities = 1.0;
};

/// Computes the scales from the states of a trajectory.
MotionSize motion_size(const MechanicalSystem& system, const std::vector<const MotionState*>& states);

/// Derivative with respect to one parameter or start value by Richardson's extrapolation of central differences with
/// three steps. It takes the entry of the table that differs least from its neighbours; that difference is the
/// uncertainty [Ridders' rule]. The value is NaN if a value nearby is not allowed, as at the bound of a parameter.
/// @param from   consistent start
/// @param count  number of entries
Difference difference_by(const SystemParameter& about, const SystemPointer& system, const InitialState& from,
                         const MotionSize& motion, const EndOf& end_of, Eigen::Index count);

/// Returns the options of the runs for differences: their tolerances are much tighter than those of the checked run, so
/// that the steps of the differences may be small.
SimulationOptions options_for_differences(SimulationOptions options, const MotionSize& motion);

/// Returns the size of a parameter, from which the steps follow: its value, or 1 if the value is zero; for a start
/// value the natural scale of the coordinate, reduced to the size of the motion.
double size_of(const SystemParameter& about, const MechanicalSystem& system, const MotionSize& motion);

}  // namespace sunlagrange::program
