// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>
#include <type_traits>

#include <CLI/CLI.hpp>

#include <sunlagrange/base/printable.hpp>
#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/version.hpp>

#include "shared/interruption.hpp"
#include "shared/output.hpp"
#include "shared/progress.hpp"
#include "shared/text.hpp"

namespace sunlagrange::program {

double (*unit_reader)(const std::string& typed, const std::string& wanted) = nullptr;

namespace {

/// A number for which `good` holds; the parser's own validators print the largest number there is.
CLI::Validator number_that(bool (*good)(double), const std::string& demand, const std::string& name) {
  return {[good, demand](std::string& typed) {
            char* end = nullptr;
            const double value = std::strtod(typed.c_str(), &end);
            const bool number = end != typed.c_str() && *end == '\0';
            return number && good(value) ? std::string() : "\"" + typed + "\" is not " + demand;
          },
          name};
}

/// A whole number that a long can hold; the parser takes the largest one instead of what is larger.
CLI::Validator in_range() {
  return {[](std::string& typed) {
            errno = 0;
            std::strtoll(typed.c_str(), nullptr, 10);
            return errno != ERANGE ? std::string() : "\"" + typed + "\" is too large a number";
          },
          ""};
}

CLI::Validator one_of(const std::vector<std::string>& choices) {
  return {[choices](std::string& typed) {
            if (std::find(choices.begin(), choices.end(), typed) != choices.end()) return std::string();
            return "\"" + typed + "\" is not known" + did_you_mean(typed, choices) + "; choose one of " +
                   joined(choices);
          },
          "{" + joined(choices) + "}"};
}

/// Replaces "10ms" by the number of seconds. What is no number with a unit is left to the checks of numbers.
CLI::Validator in_seconds() {
  return {[](std::string& typed) {
            char* end = nullptr;
            std::strtod(typed.c_str(), &end);
            if (unit_reader == nullptr || end == typed.c_str() || *end == '\0') return std::string();
            try {
              typed = number(unit_reader(typed, "s"), ".17g");
            } catch (const Error& error) {
              return std::string(error.what());
            }
            return std::string();
          },
          ""};
}

void declare(CLI::App& app, const Option& option) {
  const auto add = [&](auto* value) -> CLI::Option* {
    if constexpr (std::is_same_v<decltype(value), bool*>)
      return app.add_flag(option.name, *value, option.help);
    else
      return app.add_option(option.name, *value, option.help);
  };
  CLI::Option& declared = *std::visit(add, option.target);
  const auto demands = [&](unsigned rule) { return (option.rules & rule) != 0; };
  const auto whole = [](auto* value) {
    using Value = std::remove_pointer_t<decltype(value)>;
    return std::is_integral_v<Value> && !std::is_same_v<Value, bool>;
  };
  if (std::visit(whole, option.target)) declared.check(in_range());
  if (demands(rule::required)) declared.required();
  if (demands(rule::show_default)) declared.capture_default_str();
  if (demands(rule::finite))
    declared.check(number_that([](double x) { return std::isfinite(x); }, "a finite number", "FINITE"));
  if (demands(rule::positive))
    declared.check(number_that([](double x) { return x > 0.0; }, "a positive number", "POSITIVE"));
  if (demands(rule::not_negative))
    declared.check(number_that([](double x) { return x >= 0.0; }, "a number that is at least 0", "NONNEGATIVE"));
  if (demands(rule::seconds)) declared.transform(in_seconds());
  if (!option.choices.empty()) declared.check(one_of(option.choices));
}

/// The files that an option names.
std::vector<NamedFile> files_of(const Option& option) {
  const std::string names = option.name, name = names.substr(names.find(',') + 1);  // npos + 1 is 0
  std::vector<NamedFile> files;
  if (const auto* one = std::get_if<std::string*>(&option.target)) files.push_back({name, **one});
  if (const auto* several = std::get_if<std::vector<std::string>*>(&option.target)) {
    for (const std::string& file : **several) files.push_back({name, file});
  }
  return files;
}

/// @throws Error if a file that is written is one that is read, or another one that is written
void refuse_clashing_files(const std::vector<Option>& options) {
  const auto has = [](const Option& option, unsigned rule) { return (option.rules & rule) != 0; };
  std::vector<NamedFile> written;
  for (const Option& output : options) {
    if (!has(output, rule::writes | rule::draws)) continue;
    for (const NamedFile& named : files_of(output)) {
      const std::vector<NamedFile> files = has(output, rule::draws) ? pictures_in(named) : std::vector{named};
      for (const Option& input : options) {
        if (!has(input, rule::reads) || (has(input, rule::goes_on) && has(output, rule::goes_on))) continue;
        for (const NamedFile& read : files_of(input))
          for (const NamedFile& file : files) refuse_input_as_output(read, file);
      }
      if (has(output, rule::writes)) written.push_back(named);
    }
  }
  refuse_one_file_for_two(written);
}

/// "--csv=": the parser would take the next word as the value; "--csv ''", "-o ''": it would take it as not given. The
/// complaint, empty if there is none.
std::string option_without_value(int argc, const char* const* argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word.size() < 2 || word.front() != '-') continue;
    if (word.find('=') == word.size() - 1)
      return word + " has no value; write one behind the =, or leave the option out";
    if (k + 1 < argc && *argv[k + 1] == '\0')
      return word + " has no value, because the next word is empty; write a value, or leave the option out";
  }
  return "";
}

/// The parser's lists, wrapped as they fit: it knows no width itself.
class Help : public CLI::Formatter {
 public:
  explicit Help(std::size_t width) : width_(width) {
    column_width(28);
    label("SUBCOMMAND", "COMMAND");
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return entry("  " + make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry("  " + command->get_name(), command->get_description());
  }
  std::string make_description(const CLI::App* app) const override {
    return fitted(CLI::Formatter::make_description(app));
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    return fitted(CLI::Formatter::make_usage(app, std::move(name)));
  }
  std::string make_footer(const CLI::App* app) const override { return fitted(CLI::Formatter::make_footer(app)); }

 private:
  /// Returns the lines of a text, no longer than the width.
  std::string fitted(const std::string& words) const {
    std::string result;
    for (const std::string& line : wrapped(words, width_, 4)) result += line + "\n";
    if (!result.empty()) result.pop_back();
    return result;
  }

  std::string entry(const std::string& name, const std::string& words) const {
    const std::size_t column = get_column_width();
    const bool beside = name.size() + 2 <= column;
    std::string result =
        beside ? name + std::string(column - name.size(), ' ') : fitted(name) + "\n" + std::string(column, ' ');
    const std::size_t room = width_ == unlimited || width_ < column + 20 ? unlimited : width_ - column;
    bool first = true;
    for (const std::string& line : wrapped(words, room)) {
      if (!std::exchange(first, false)) result += std::string(column, ' ');
      result += line + "\n";
    }
    return result;
  }

  std::size_t width_;
};

/// Returns a line for each word that is not known, with the nearest known name; empty if the parser's message suffices.
std::string unknown_words(const Program& program, const CLI::App& parser, const std::vector<std::string>& names,
                          int argc, const char* const* argv) {
  const auto used = parser.get_subcommands();
  const auto contains = [](const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  std::vector<std::string> options = {"--help", "--progress", "--version"};
  if (!used.empty()) {
    for (const CLI::Option* option : used.front()->get_options())
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  std::string lines;
  for (int k = 1; k < argc; ++k) {
    std::string word = argv[k];
    word.erase(std::min(word.find('='), word.size()));
    const bool option = word.rfind("--", 0) == 0;
    if (!option && (k > 1 || !used.empty())) continue;
    const std::vector<std::string>& known = option ? options : names;
    if (contains(known, word)) continue;
    if (!option && contains(program.commands_of_other, word)) {
      return word + " is a command of " + program.other + ": call `" + program.other + " " + word + "`\n";
    }
    std::vector<std::string> similar = known;
    if (!option) similar.insert(similar.end(), program.commands_of_other.begin(), program.commands_of_other.end());
    lines += (option ? "option " : "command ") + word + " is not known" + did_you_mean(word, similar) + "\n";
  }
  return lines;
}

std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '-') result += '\\';
    result += c;
    if (c == '\n') result += "\\&";  // no line is a request
  }
  return result;
}

}  // namespace

std::string manual(const Program& program) {
  std::string title = program.name;
  std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string page = ".TH " + roff(title) + " 1 \"\" \"sunlagrange " + version() + "\"\n.SH NAME\n" +
                     roff(program.name) + " \\- " + roff(program.summary) + "\n.SH SYNOPSIS\n.B " + roff(program.name) +
                     "\n[\\-\\-help] [\\-\\-version] [\\-\\-progress] COMMAND [ARGUMENTS]\n.SH COMMANDS\n";
  for (const CommandGroup& group : program.groups) {
    for (const Command& command : group.commands) {
      page += ".SS " + roff(command.name) + "\n" + roff(command.summary) + "\n";
      for (const Option& option : command.options) {
        page += ".TP\n.B " + roff(option.name) + "\n" + roff(option.help);
        if (!option.choices.empty()) page += ": " + roff(joined(option.choices));
        page += "\n";
      }
      if (*command.examples != '\0') page += ".PP\n.nf\n" + roff(command.examples) + "\n.fi\n";
    }
  }
  page += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : exit_codes())
    page += ".TP\n.B " + std::to_string(code) + "\n" + roff(meaning) + "\n";
  page +=
      ".SH ENVIRONMENT\n.TP\n.B COLUMNS\nwidth of tables at a terminal\n.TP\n.B NO_COLOR\nno colours\n"
      ".SH FILES\nREADME, tutorial and examples are installed with the library.\n";
  return *program.other == '\0' ? page : page + ".SH SEE ALSO\n.BR " + roff(program.other) + " (1)\n";
}

const std::vector<std::pair<int, std::string>>& exit_codes() {
  static const std::vector<std::pair<int, std::string>> all = {
      {exit_finished, "every run finished"},
      {exit_trouble, "output could not be written, no memory, no gnuplot"},
      {exit_wrong_usage, "wrong usage: nothing was integrated"},
      {exit_numerical_failure, "at least one run did not finish; it is reported"},
      {exit_doubts, "every run finished, at least one with doubts"},
      {exit_interrupted, "interrupted by Ctrl-C or SIGTERM; the results up to then are written"}};
  return all;
}

std::string version() {
  return std::to_string(SUNLAGRANGE_VERSION_MAJOR) + "." + std::to_string(SUNLAGRANGE_VERSION_MINOR) + "." +
         std::to_string(SUNLAGRANGE_VERSION_PATCH);
}

std::vector<Option> operator+(std::vector<Option> first, const std::vector<Option>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Option wide_option(bool& wide) {
  return {"--wide", &wide, "show all columns of a table, even if the terminal is too narrow"};
}

int run_command_line(const Program& program, int argc, const char* const* argv) {
  const std::string prefix = std::string(program.name) + ": ";
  const auto refuse = [&prefix](const std::string& message) {
    std::cerr << prefix << printable(message) << "\n";
    return exit_wrong_usage;
  };
  if (const std::string complaint = option_without_value(argc, argv); !complaint.empty()) return refuse(complaint);
  CLI::App parser(program.summary, program.name);
  const std::size_t width = output_width(false);
  constexpr std::size_t usual = 80;  // columns of a terminal
  const auto help = std::make_shared<Help>(width == unlimited ? usual : std::min(width, usual));
  bool progress = false, man = false;
  parser.formatter(help);
  parser.footer(program.examples);
  parser.add_flag("--progress", progress, "show the progress on stderr, even if it is no terminal");
  parser.add_flag("--man", man, "print this as a manual page")->group("");
  parser.set_version_flag("--version", std::string(program.name) + " " + version());
  parser.require_subcommand(0, 1);
  int exit_code = exit_finished;
  std::vector<std::string> names;
  const auto add = [&](const Command& command, const std::string& heading, bool moved) {
    names.emplace_back(command.name);
    CLI::App* app = parser.add_subcommand(command.name, command.summary)->group(heading);
    for (const Option& option : command.options) declare(*app, option);
    app->footer(command.examples);
    app->formatter(help);
    app->fallthrough();
    app->callback([&, moved] {
      if (moved)
        std::cerr << prefix << "this is a command of " << program.other << ": call `" << program.other << " "
                  << command.name << "`\n";
      if (progress) always_show_progress();
      refuse_clashing_files(command.options);
      exit_code = command.run();
    });
  };
  for (const CommandGroup& group : program.groups)
    for (const Command& command : group.commands) add(command, group.heading, false);
  const std::string own = joined(names);
  for (const Command& command : program.moved) add(command, "", true);  // hidden
  try {
    parser.parse(argc, argv);
    if (man) std::cout << manual(program);
    if (man || !parser.get_subcommands().empty()) return exit_code;
    if (argc > 1) return refuse("a command is required: " + own);
    std::cerr << parser.help() << "\n";
    return exit_wrong_usage;
  } catch (const CLI::ExtrasError& error) {
    const std::string lines = unknown_words(program, parser, names, argc, argv);
    return refuse((lines.empty() ? error.what() + std::string("\n") : lines) + "--help lists what is known.");
  } catch (const CLI::ParseError& error) {
    return parser.exit(error, std::cout, std::cerr) == 0 ? exit_finished : exit_wrong_usage;
  }
}

namespace {

std::string& running_program() {
  static std::string name = "sunlagrange";
  return name;
}

int run_reporting_errors(const std::function<Program()>& make, int argc, const char* const* argv) {
  const auto failed = [](const char* message, int code) {
    std::cerr << program_name() << ": " << printable(message) << "\n";
    return code;
  };
  try {
    const Program program = make();
    running_program() = program.name;
    return run_command_line(program, argc, argv);
  } catch (const Error& error) {
    return failed(error.what(), exit_wrong_usage);
  } catch (const std::bad_alloc&) {
    return failed("out of memory", exit_trouble);
  } catch (const std::exception& error) {
    return failed(error.what(), exit_trouble);
  }
}

}  // namespace

const char* program_name() {
  return running_program().c_str();
}

int program_main(const std::function<Program()>& make, int argc, const char* const* argv) {
  protect_standard_streams();
  catch_interruptions();
  const int code = run_reporting_errors(make, argc, argv);
  if (!flush_stdout()) return exit_trouble;
  if (!interrupted() || code == exit_trouble) return code;
  std::cerr << program_name() << ": interrupted; the results up to now are written\n";
  return exit_interrupted;
}

}  // namespace sunlagrange::program
