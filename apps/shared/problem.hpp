#pragma once

#include <limits>
#include <string>
#include <vector>

#include <sunlagrange/files/mechanism_file.hpp>

#include "mechanisms/mechanism.hpp"
#include "shared/command.hpp"

/// What most commands share: the options that describe a problem, and the problem itself.
namespace sunlagrange::program {

constexpr int not_given = std::numeric_limits<int>::min();

/// Options as typed. Empty text, NaN and not_given mean "not given".
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

/// The options that fill them in. @param arguments  must live as long as the command
std::vector<Option> problem_options(ProblemArguments& arguments);

/// Reads the model file that a mechanism's name may be; null in the program that is built without.
extern MechanismFile (*model_file_reader)(const std::string& file);

/// A mechanism built in the asked size, and the simulation options that belong to all its runs; they end when the
/// program is interrupted.
struct Problem {
  std::string name;
  int size = 0;  ///< 0: the mechanism has no size
  mechanisms::Mechanism mechanism;
  SimulationOptions options;
  bool gains_typed = false;
  bool start_typed = false;
  std::vector<std::string> notes;  ///< of the model file
  bool from_file = false;          ///< options hold what the model file says, unless it was typed

  /// @throws Error on unknown names, a size for a mechanism that has none or beyond all memory, bad gains
  explicit Problem(const ProblemArguments& arguments);

  /// Options of a run in this formulation: extended_lagrangian takes the excess energy of the mechanism instead of its
  /// gains, unless gains were typed. A mechanism with an excess energy is about a start off the constraints: where
  /// gains lead back to them (ODE forms that hold g to the tolerance) it starts as given, unless a start was typed.
  SimulationOptions options_with(const std::string& formulation) const;

  /// Where none is asked for: that of the model file, baumgarte, for kinematic programs integral_manifold.
  std::string default_formulation() const;

  /// What a run from this start is compared with; null: nothing.
  const std::function<std::optional<mechanisms::ReferenceState>(double t)>& reference(Start start) const;

  /// Runs whose gains lead back to the constraints start off them.
  bool off_the_constraints() const { return !start_typed && mechanism.excess_reference != nullptr; }

  /// Its name, "automatic" resolved.
  std::string linear_solver() const;

  /// One line for table headings, and one for each note.
  std::string description() const;
};

/// As typed, NaN where not given: then atol is the number that rtol is.
void set_tolerances(SimulationOptions& options, double rtol, double atol);

/// "baumgarte/dopri5", or "baumgarte" with its automatic integrator.
void set_formulation(SimulationOptions& options, const std::string& text);

/// A Butcher table from a JSON file {"name": "...", "A": [[...], ...], "b": [...], "c": [...], "order": p}; the name
/// may be absent, rows of A may end before the diagonal. Whether it is a method is checked by simulate().
/// @throws Error if the file cannot be read or has not this form
ButcherTable read_table(const std::string& file);

/// Of a position and of the force along it; empty for Euler parameters and coordinates without a meaning.
struct CoordinateUnits {
  std::string displacement, effort;
};

CoordinateUnits units_of_coordinate(const MechanicalSystem& system, int i);

}  // namespace sunlagrange::program
