#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sunlagrange/model/mechanical_system.hpp>
#include <sunlagrange/linear_solver/options.hpp>
#include <sunlagrange/base/butcher_table.hpp>

namespace sunlagrange {

/// What can be asked for by name: the registries, as a program needs them for lists, menus and checks.

/// Which integrators a formulation goes with.
enum class Equations {
  ode,       ///< y' = f(t, y): CVODE, ARKODE
  dae,       ///< F(t, y, y') = 0: IDA
  one_step,  ///< the formulation is a fixed-step method of its own
};

struct FormulationInfo {
  std::string_view name;
  std::string_view summary;
  Equations equations;
};

struct IntegratorInfo {
  std::string_view name;
  std::string_view summary;
  Equations equations;                   ///< what it integrates
  bool fixed_step;                       ///< needs SimulationOptions::step; false: adaptive
  const ButcherTable* fixed_step_table;  ///< of rk1 ... rk4; null for all others, "table" included
};

struct LinearSolverInfo {
  std::string_view name;
  std::string_view summary;
  bool sparse;
  bool available;  ///< built in
};

std::vector<FormulationInfo> formulations();
std::vector<IntegratorInfo> integrators();
std::vector<LinearSolverInfo> linear_solvers();

/// Entry of a name. @throws Error listing the known names
FormulationInfo formulation(std::string_view name);
IntegratorInfo integrator(std::string_view name);
LinearSolverInfo linear_solver(std::string_view name);

/// Why a formulation cannot be used for this system with this linear solver and integrator, and what to use instead;
/// empty: it can. Empty names of linear solver or integrator: not looked at.
/// @throws Error if a name is not known
std::string objection(std::string_view formulation, const MechanicalSystem& system, std::string_view linear_solver,
                      std::string_view integrator);

/// The integrator that "automatic" stands for: cvode_bdf for ODE forms, ida for DAE forms, trapezoidal for
/// index3_augmented_lagrangian. (SimulationOptions::table changes it to "table".)
std::string_view automatic_integrator(std::string_view formulation);

/// The linear solver that "automatic" stands for in a system with n positions and m constraint rows.
std::string_view automatic_linear_solver(int n, int m);

}  // namespace sunlagrange
