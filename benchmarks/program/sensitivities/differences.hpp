#pragma once

#include <functional>
#include <memory>
#include <string>

#include <Eigen/Core>

#include <sunlagrange/analysis/sensitivities.hpp>
#include <sunlagrange/simulation/simulate.hpp>

/// Derivatives by differences of runs, which `sensitivities --check` holds against its own.
namespace sunlagrange::bench {

using SystemPointer = std::shared_ptr<const MechanicalSystem>;

/// What a run from a start comes to; NaN if it did not finish.
using EndOf = std::function<Eigen::VectorXd(const SystemPointer& system, const InitialState& start)>;

/// A derivative, entry by entry.
struct Difference {
  Eigen::VectorXd value;        ///< NaN where runs did not finish
  Eigen::VectorXd uncertainty;  ///< of it, as the table of extrapolation tells; infinite there
};

/// By one parameter or start value: Richardson's extrapolation of central differences with three steps; of the table
/// the entry that differs least from its neighbours, by as much as it does [Ridders' rule].
/// @param from  consistent
Difference difference_by(const SystemParameter& about, const SystemPointer& system, const InitialState& from,
                         const EndOf& end_of);

/// Options of such runs: tolerances so much tighter than those of the run that is checked that steps may be small.
SimulationOptions options_for_differences(SimulationOptions options);

/// What counts as one of it: itself, of start values and zeros 1.
double size_of(const SystemParameter& about);

}  // namespace sunlagrange::bench
