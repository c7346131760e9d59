// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <sunlagrange/files/mechanism_file.hpp>

#include "mechanisms/mechanism.hpp"
#include "shared/command.hpp"

/// The problem that most commands work on, and the options that describe it.
namespace sunlagrange::program {

constexpr int not_given = std::numeric_limits<int>::min();

/// Values of the options. Empty text, NaN and not_given mean that an option is not given.
struct ProblemArguments {
  std::string mechanism;
  int size = not_given;
  double t_end = std::numeric_limits<double>::quiet_NaN();
  double atol = std::numeric_limits<double>::quiet_NaN();
  std::string linear_solver = "automatic";
  std::string rank_policy;
  std::string at_singularity;
  std::string start;
  std::string gains;
  std::string table;
  double max_step = std::numeric_limits<double>::quiet_NaN();
  long max_steps = not_given;
  bool continue_infeasible = false;
  bool json = false;
};

/// Returns the options that set the arguments. @param arguments  must live as long as the command
std::vector<Option> problem_options(ProblemArguments& arguments);

/// Reads a model file; null in a program that is built without model files.
extern MechanismFile (*model_file_reader)(const std::string& file);

/// A mechanism of the requested size, and the simulation options of all its runs, which end when the program is
/// interrupted.
struct Problem {
  std::string name;
  int size = 0;  ///< 0: the mechanism has no size
  mechanisms::Mechanism mechanism;
  SimulationOptions options;
  bool gains_typed = false;
  bool start_typed = false;
  std::vector<std::string> notes;  ///< of the model file
  bool from_file = false;          ///< the options are those of the model file, except those that were given

  /// @throws Error on an unknown name, a size that is too large or that the mechanism does not have, or bad gains
  explicit Problem(const ProblemArguments& arguments);

  /// Returns the options of a run in this formulation. extended_lagrangian uses the excess energy of the mechanism
  /// instead of its gains, unless gains were given. A mechanism with an excess energy starts off the constraints: if
  /// gains lead back to them (ODE forms that hold g to the tolerance), it starts as given, unless a start was given.
  SimulationOptions options_with(const std::string& formulation) const;

  /// Returns the formulation of an analysis without --formulation: the one of the model file, else the default one of
  /// the system (baumgarte, or integral_manifold for kinematic programs). Runs take options.formulation, "automatic".
  std::string default_formulation() const;

  /// Returns the reference of a run from this start; null if there is none.
  const std::function<std::optional<mechanisms::ReferenceState>(double t)>& reference(Start start) const;

  /// Returns true if runs whose gains lead back to the constraints start off the constraints.
  bool off_the_constraints() const { return !start_typed && mechanism.excess_reference != nullptr; }

  /// Returns the name of the linear solver, never "automatic".
  std::string linear_solver() const;

  /// Returns the name for headings: the mechanism with its size, or the model file without folder and ending.
  std::string title() const;

  /// Returns one line for table headings, and one for each note.
  std::string description() const;

  /// Returns "9 coordinates, 9 constraints".
  std::string extent() const;
};

/// Sets the tolerances; NaN means not given. Default of atol: the number rtol.
void set_tolerances(SimulationOptions& options, double rtol, double atol);

/// Sets formulation and integrator from "baumgarte/dopri5", or from "baumgarte" with its automatic integrator.
void set_formulation(SimulationOptions& options, const std::string& text);

/// Reads a Butcher table from a JSON file {"name": "...", "A": [[...], ...], "b": [...], "c": [...], "order": p}. The
/// name may be absent; rows of A may end before the diagonal. simulate() checks the conditions on its coefficients.
/// @throws Error if the file cannot be read or does not have this form
ButcherTable read_table(const std::string& file);

/// Units of a position, its rate and the force along it; empty for Euler parameters and coordinates without a domain.
struct CoordinateUnits {
  std::string displacement, flow, effort;
};

CoordinateUnits units_of_coordinate(const MechanicalSystem& system, int i);
/// Returns those of an angle if there is no such coordinate, which is reported elsewhere.
CoordinateUnits units_of_coordinate(const MechanicalSystem& system, const std::string& name);

}  // namespace sunlagrange::program
