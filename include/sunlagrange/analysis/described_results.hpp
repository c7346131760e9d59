// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sunlagrange/analysis/drive_forces.hpp>
#include <sunlagrange/analysis/gradient.hpp>
#include <sunlagrange/analysis/identify.hpp>
#include <sunlagrange/analysis/kinematics.hpp>
#include <sunlagrange/analysis/sensitivities.hpp>
#include <sunlagrange/analysis/state_space.hpp>
#include <sunlagrange/analysis/static_equilibrium.hpp>
#include <sunlagrange/analysis/workspace.hpp>
#include <sunlagrange/base/figure_visitors.hpp>
#include <sunlagrange/consistency/redundancy.hpp>
#include <sunlagrange/model/system_evaluator.hpp>
#include <sunlagrange/results/power_balance.hpp>
#include <sunlagrange/results/reactions.hpp>
#include <sunlagrange/results/simulation.hpp>

namespace sunlagrange {

/// Stands for a type of results in for_each_result().
template <class Type>
struct ResultType {
  using Result = Type;  ///< the type it stands for
};

/// Calls visit(ResultType<Result>{}, name, functions) for every type of results that describes itself
/// (base/figures.hpp), with the name of the type and the functions of C++ that return it.
template <class Visit>
void for_each_result(Visit&& visit) {
  visit(ResultType<Simulation>{}, "Simulation", "simulate(), Stepper::finish()");
  visit(ResultType<ConsistentState>{}, "ConsistentState", "consistent_state()");
  visit(ResultType<RedundancyReport>{}, "RedundancyReport", "analyse_redundancy()");
  visit(ResultType<GainAdvice>{}, "GainAdvice", "advise_gains()");
  visit(ResultType<SystemQuantities>{}, "SystemQuantities", "SystemEvaluator::at()");
  visit(ResultType<Reactions>{}, "Reactions", "reactions(), ReactionEvaluator::at()");
  visit(ResultType<JointForce>{}, "JointForce", "joint_forces()");
  visit(ResultType<PowerBalance>{}, "PowerBalance", "power_balance()");
  visit(ResultType<EnergyBalance>{}, "EnergyBalance", "energy_balance()");
  visit(ResultType<Linearisation>{}, "Linearisation", "linearise()");
  visit(ResultType<Modes>{}, "Modes", "modes()");
  visit(ResultType<StateSpace>{}, "StateSpace", "state_space()");
  visit(ResultType<Equilibrium>{}, "Equilibrium", "static_equilibrium(), static_equilibria()");
  visit(ResultType<Kinematics>{}, "Kinematics", "kinematics()");
  visit(ResultType<InverseDynamics>{}, "InverseDynamics", "inverse_dynamics()");
  visit(ResultType<DriveForces>{}, "DriveForces", "drive_forces()");
  visit(ResultType<MechanismWorkspace>{}, "MechanismWorkspace", "workspace()");
  visit(ResultType<Sensitivities>{}, "Sensitivities", "sensitivities()");
  visit(ResultType<Gradient>{}, "Gradient", "gradient(), functional_value()");
  visit(ResultType<Identification>{}, "Identification", "identify()");
}

}  // namespace sunlagrange
