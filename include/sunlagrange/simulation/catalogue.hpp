// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sunlagrange/formulation/info.hpp>
#include <sunlagrange/integrators/info.hpp>
#include <sunlagrange/linear_solver/info.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/model/parameter_list.hpp>

namespace sunlagrange {

/// Lists of formulations, integrators, linear solvers and elements, for menus and checks of a program.

struct ElementInfo {
  std::string_view name;     ///< the type, e.g. "SpatialDistance<>"
  std::string_view summary;  ///< one line
  std::string_view header;   ///< e.g. "sunlagrange/elements/spatial/distance.hpp"

  /// Kinds of the coordinate blocks it acts on, in order, those of templates with their default ends;
  /// empty: any kind.
  std::vector<BlockKind> blocks;

  /// Parameters with their defaults.
  std::vector<ParameterInfo> parameters;
};

/// All entries of a registry, in its order.
std::vector<FormulationInfo> formulations();
std::vector<IntegratorInfo> integrators();
std::vector<LinearSolverInfo> linear_solvers();
std::vector<ElementInfo> elements();

/// Returns the entry of this name. @throws Error listing the known names
FormulationInfo formulation(std::string_view name);
IntegratorInfo integrator(std::string_view name);
LinearSolverInfo linear_solver(std::string_view name);
ElementInfo element(std::string_view name);

/// Returns why a formulation cannot be used for this system with this integrator, and an alternative. Empty: it can be
/// used; "automatic" always can.
/// @throws Error if a name is not known
std::string objection(std::string_view formulation, const MechanicalSystem& system, std::string_view integrator);

/// Returns what "automatic" means where there is no run to choose for (attachments, analyses): baumgarte if it accepts
/// the system, else the first formulation of the catalogue that does (integral_manifold for kinematic programs).
std::string_view default_formulation(const MechanicalSystem& system);

/// Returns the integrator of "automatic": cvode_bdf for ODE forms, ida for DAE forms, trapezoidal for
/// index3_augmented_lagrangian. (SimulationOptions::table changes it to "table".)
std::string_view automatic_integrator(std::string_view formulation);

/// Returns the linear solver of "automatic", which depends on size and pattern of the system.
std::string_view automatic_linear_solver(const MechanicalSystem& system);

}  // namespace sunlagrange
