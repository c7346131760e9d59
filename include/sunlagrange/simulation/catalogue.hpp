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

/// What there is: the registries, as a program needs them for lists, menus and checks.

struct ElementInfo {
  std::string_view name;     ///< the type, e.g. "SpatialDistance<>"
  std::string_view summary;  ///< one line
  std::string_view header;   ///< e.g. "sunlagrange/elements/spatial/distance.hpp"

  /// Kinds of the coordinate blocks it acts on, in order, those of templates with their default ends;
  /// empty: any kind.
  std::vector<BlockKind> blocks;

  /// As it describes them, defaults included.
  std::vector<ParameterInfo> parameters;
};

std::vector<FormulationInfo> formulations();
std::vector<IntegratorInfo> integrators();
std::vector<LinearSolverInfo> linear_solvers();
std::vector<ElementInfo> elements();

/// Entry of a name. @throws Error listing the known names
FormulationInfo formulation(std::string_view name);
IntegratorInfo integrator(std::string_view name);
LinearSolverInfo linear_solver(std::string_view name);
ElementInfo element(std::string_view name);

/// Why a formulation cannot be used for this system with this integrator, and what to use instead; empty: it can.
/// "automatic" always can: simulate() takes one that does.
/// @throws Error if a name is not known
std::string objection(std::string_view formulation, const MechanicalSystem& system, std::string_view integrator);

/// The formulation that is meant where none was chosen: that of FormulationChoice where it takes the system, else the
/// first of the catalogue that does (integral_manifold for kinematic programs).
std::string_view default_formulation(const MechanicalSystem& system);

/// The integrator that "automatic" stands for: cvode_bdf for ODE forms, ida for DAE forms, trapezoidal for
/// index3_augmented_lagrangian. (SimulationOptions::table changes it to "table".)
std::string_view automatic_integrator(std::string_view formulation);

/// The linear solver that "automatic" stands for: by size and pattern of the system.
std::string_view automatic_linear_solver(const MechanicalSystem& system);

}  // namespace sunlagrange
