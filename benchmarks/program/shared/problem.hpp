#pragma once

#include <iosfwd>
#include <limits>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "mechanisms/mechanism.hpp"

/// What the commands `run` and `compare` share: the options that describe a problem, and the problem itself.
namespace sunlagrange::bench {

constexpr int exit_finished = 0;           ///< every run finished
constexpr int exit_wrong_usage = 2;        ///< nothing was integrated
constexpr int exit_numerical_failure = 3;  ///< at least one run did not finish; it is reported

constexpr int not_given = std::numeric_limits<int>::min();

/// Options as typed. Empty text, NaN and not_given mean "not given".
struct ProblemArguments {
  std::string mechanism;
  int size = not_given;
  double t_end = std::numeric_limits<double>::quiet_NaN();
  double atol = std::numeric_limits<double>::quiet_NaN();
  std::string linear_solver = "automatic";
  std::string rank_policy;
  std::string at_singularity = "filter";
  std::string start;
  std::string gains;
  std::string table;
  long max_steps = not_given;
  bool continue_infeasible = false;
  bool json = false;

  void add_to(CLI::App& command);
};

/// A mechanism built in the asked size, and the simulation options that belong to all its runs.
struct Problem {
  std::string name;
  int size = 0;  ///< 0: the mechanism has no size
  mechanisms::Mechanism mechanism;
  SimulationOptions options;

  /// @throws Error on unknown names, a size for a mechanism that has none, bad gains
  explicit Problem(const ProblemArguments& arguments);

  /// Its name, "automatic" resolved.
  std::string linear_solver() const;

  /// One line for table headings.
  std::string description() const;
};

/// Refuses nan and infinities, which stand for "not given".
const CLI::Validator& finite();

/// A Butcher table from a JSON file {"name": "...", "A": [[...], ...], "b": [...], "c": [...], "order": p}; the name
/// may be absent, rows of A may end before the diagonal. Whether it is a method is checked by simulate().
/// @throws Error if the file cannot be read or has not this form
ButcherTable read_table(const std::string& file);

/// "a,b,c" as its parts; @throws Error naming `option` if a part is empty.
std::vector<std::string> split_list(const std::string& text, const std::string& option);

/// The same as numbers. @throws Error if a part is not a number
std::vector<double> number_list(const std::string& text, const std::string& option);

}  // namespace sunlagrange::bench
