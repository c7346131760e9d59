#pragma once

#include <string_view>
#include <vector>

#include <sunlagrange/options.hpp>
#include <sunlagrange/stability/butcher_table.hpp>

namespace sunlagrange {

/// What can be asked for by name: the registries, as a program needs them for lists, menus and checks.

struct FormulationInfo {
  std::string_view name;
  std::string_view summary;
  bool dae;  ///< integrated by IDA; else by CVODE and ARKODE
};

struct IntegratorInfo {
  std::string_view name;
  std::string_view summary;
  bool dae;                              ///< wants a DAE formulation
  const ButcherTable* fixed_step_table;  ///< null: adaptive
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

/// The linear solver that "automatic" stands for in a system with n positions and m constraint rows.
std::string_view automatic_linear_solver(int n, int m);

}  // namespace sunlagrange
