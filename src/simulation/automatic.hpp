// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include <sunlagrange/base/fact.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>
#include <sunlagrange/simulation/simulate.hpp>

namespace sunlagrange::internal {

/// Formulation and integrator that "automatic" stands for, with the reason.
struct MethodChoice {
  std::string formulation;
  std::string integrator;
  Fact reason;
};

/// Returns the choice for a run from this start; it costs as much as a few right-hand sides. Options that were given
/// are kept: gains, an excess energy and a start off the constraints restrict the choice, too. See docs/decisions/0027.
/// @param requested  formulation = "automatic"
MethodChoice choose_method(const std::shared_ptr<const MechanicalSystem>& system, const SimulationOptions& requested,
                           const ConsistentState& start);

/// Returns LinearSolverOptions::rank_threshold for a run from this start; it costs as much as a few right-hand sides. A
/// threshold far above the violations of the constraints drops directions that the mechanism has: where the gap between
/// two branches is narrow, these make it turn. The default suits constraints that drift. Those of `projected` hold to
/// rounding, and its threshold is what rounding and tolerance leave, unless it was given, or rows are dependent or
/// nearly so at the start. See docs/decisions/0004.
/// @param used  with the formulation and the linear solver of the run
double resolved_rank_threshold(const std::shared_ptr<const MechanicalSystem>& system, const SimulationOptions& used,
                               const ConsistentState& start);

/// Returns a formulation that accepts the given options, to check these before the start is known: the default
/// formulation, ggl if that does not go with the integrator, else the first of the catalogue that does.
std::string provisional_formulation(const MechanicalSystem& system, const SimulationOptions& requested);

/// Returns the fastest rate of the motions that the constraints allow near the start [1/s]: the largest modulus of the
/// eigenvalues of v' = a(q, v), by eight steps of the power method with differences of a. It limits the steps of
/// explicit methods, whether the motion contains that rate or not. 0: not known.
double fastest_rate(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                    const LinearSolverOptions& linear_solver);

}  // namespace sunlagrange::internal
