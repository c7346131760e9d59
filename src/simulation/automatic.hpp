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

/// The choice for a run from this start, as cheap as a few right-hand sides. What is asked for stays as it is; gains,
/// an excess energy and a start off the constraints are asked for, too. docs/decisions/0027.
/// @param asked  formulation = "automatic"
MethodChoice choose_method(const std::shared_ptr<const MechanicalSystem>& system, const SimulationOptions& asked,
                           const ConsistentState& start);

/// A formulation that goes with what is asked for, to check the options with before the start is known: the default
/// one, where it does not go with the integrator ggl, else the first of the catalogue that does.
std::string provisional_formulation(const MechanicalSystem& system, const SimulationOptions& asked);

/// The fastest rate of the motions that the constraints allow about the start [1/s]: largest modulus of the eigenvalues
/// of v' = a(q, v), by eight steps of the power method on differences of a; 0: not known. What turns an explicit method
/// unstable, whether the motion shows it or not.
double fastest_rate(const std::shared_ptr<const MechanicalSystem>& system, const MotionState& start,
                    const LinearSolverOptions& linear_solver);

}  // namespace sunlagrange::internal
