// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Commands and their options as data. Only command.cpp knows the library that parses them.
namespace sunlagrange::program {

constexpr int exit_finished = 0;           ///< Every run finished.
constexpr int exit_trouble = 1;            ///< The machine failed: output not written, no memory, no gnuplot.
constexpr int exit_wrong_usage = 2;        ///< Nothing was integrated.
constexpr int exit_numerical_failure = 3;  ///< At least one run did not finish; it is reported.
constexpr int exit_doubts = 4;             ///< Every run finished, at least one with doubts.
constexpr int exit_interrupted = 130;      ///< Ctrl-C or SIGTERM; the results up to then are written.

/// Returns every exit code with its meaning.
const std::vector<std::pair<int, std::string>>& exit_codes();

/// Conditions on the value of an option; combined with |.
namespace rule {
constexpr unsigned required = 1U << 0;
constexpr unsigned show_default = 1U << 1;  ///< The help text shows the default.
constexpr unsigned finite = 1U << 2;        ///< The value is neither nan (which stands for "not given") nor infinite.
constexpr unsigned positive = 1U << 3;
constexpr unsigned not_negative = 1U << 4;
constexpr unsigned reads = 1U << 5;    ///< The option names a file that is read (a mechanism may be one).
constexpr unsigned writes = 1U << 6;   ///< It names a file that is written; no other option may name the same file.
constexpr unsigned goes_on = 1U << 7;  ///< A pair of options that read and write may name the same file.
constexpr unsigned draws = 1U << 8;    ///< It names a folder for pictures, which may not replace a file that is read.
constexpr unsigned seconds = 1U << 9;  ///< The value is a time in s; it may have another unit behind it, "10ms".
}  // namespace rule

/// Reads a number that may have a unit behind it, in the unit that is wanted. Null: this program reads no units.
extern double (*unit_reader)(const std::string& typed, const std::string& wanted);

/// One option of a command, and the variable that takes its value.
struct Option {
  using Target = std::variant<bool*, int*, long*, unsigned long*, double*, std::string*, std::vector<std::string>*>;

  const char* name;  ///< "--rtol"; a name without dashes is positional
  Target target;     ///< a bool makes it a flag; the variable's value is the default
  std::string help;
  unsigned rules = 0;
  std::vector<std::string> choices = {};  ///< If not empty, the value must be one of these.
};

struct Command {
  const char* name;
  const char* summary;
  std::vector<Option> options;
  std::function<int()> run;   ///< Called when the options are filled in; returns the exit code.
  const char* examples = "";  ///< Shown below the command's help text, a line each.
};

/// Commands under one heading of the help text.
struct CommandGroup {
  const char* heading;
  std::vector<Command> commands;
};

/// One of the two programs.
struct Program {
  const char* name;  ///< as typed
  const char* summary;
  std::vector<CommandGroup> groups;
  const char* examples = "";  ///< Shown below the list of commands.
  const char* other = "";     ///< Name of the other program.
  /// Commands of the other program that this one runs as well; a line on stderr names the other program.
  std::vector<Command> moved = {};
  std::vector<std::string> commands_of_other = {};  ///< Names, for messages.
};

/// Returns the version of the library, "1.2.3".
std::string version();

/// Returns the options of both lists in this order.
std::vector<Option> operator+(std::vector<Option> first, const std::vector<Option>& second);

/// Returns the option --wide of commands that print a Table.
Option wide_option(bool& wide);

/// Returns the manual page for man(1).
std::string manual(const Program& program);

/// Runs the command that the command line names.
/// @return its exit code; exit_wrong_usage after a message on stderr; exit_finished after a help text
int run_command_line(const Program& program, int argc, const char* const* argv);

/// Does all of main(): protects the standard streams, catches interruptions, runs the command and turns exceptions into
/// messages.
/// @return the exit code
int program_main(const std::function<Program()>& make, int argc, const char* const* argv);

/// Returns the name of the running program, which stands in front of its messages. Default: "sunlagrange".
const char* program_name();

}  // namespace sunlagrange::program
