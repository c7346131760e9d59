#pragma once

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Commands and their options as data. Only command.cpp knows the library that parses them.
namespace sunlagrange::program {

constexpr int exit_finished = 0;           ///< every run finished
constexpr int exit_trouble = 1;            ///< of the machine: output not written, no memory, no gnuplot
constexpr int exit_wrong_usage = 2;        ///< nothing was integrated
constexpr int exit_numerical_failure = 3;  ///< at least one run did not finish; it is reported
constexpr int exit_doubts = 4;             ///< every run finished, at least one with doubts
constexpr int exit_interrupted = 130;      ///< Ctrl-C or SIGTERM; what there was by then is written

/// Each of them, and what it means.
const std::vector<std::pair<int, std::string>>& exit_codes();

/// What an option demands; combined with |.
namespace rule {
constexpr unsigned required = 1U << 0;
constexpr unsigned show_default = 1U << 1;  ///< in the help text
constexpr unsigned finite = 1U << 2;        ///< refuses nan and infinities, which stand for "not given"
constexpr unsigned positive = 1U << 3;
constexpr unsigned not_negative = 1U << 4;
constexpr unsigned reads = 1U << 5;    ///< names a file that is read (or, of mechanisms, may be one)
constexpr unsigned writes = 1U << 6;   ///< names a file that is written: no other one that is, none that is read
constexpr unsigned goes_on = 1U << 7;  ///< of one that reads and one that writes: they may name the same file
constexpr unsigned draws = 1U << 8;    ///< names a folder for pictures: none that is read may be replaced by one
}  // namespace rule

/// One option of a command, and where its value goes.
struct Option {
  using Target = std::variant<bool*, int*, long*, unsigned long*, double*, std::string*, std::vector<std::string>*>;

  const char* name;  ///< "--rtol"; without dashes: positional
  Target target;     ///< a bool makes it a flag; what it holds is the default
  std::string help;
  unsigned rules = 0;
  std::vector<std::string> choices = {};  ///< not empty: it must be one of these
};

struct Command {
  const char* name;
  const char* summary;
  std::vector<Option> options;
  std::function<int()> run;   ///< called when the options are filled in; returns the exit code
  const char* examples = "";  ///< below its own help text, a line each
};

/// Of the library, "1.2.3".
std::string version();

/// `first`, then `second`.
std::vector<Option> operator+(std::vector<Option> first, const std::vector<Option>& second);

/// For commands that print a Table.
Option wide_option(bool& wide);

/// All of it as a manual page, for man(1).
std::string manual(const std::string& summary, const std::vector<Command>& commands);

/// Runs the command that is named on the command line.
/// @return its exit code; exit_wrong_usage after a message on stderr; exit_finished after a help text
int run_command_line(std::string summary, const std::vector<Command>& commands, int argc, const char* const* argv);

}  // namespace sunlagrange::program
