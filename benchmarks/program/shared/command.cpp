#include "shared/command.hpp"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <type_traits>

#include <CLI/CLI.hpp>

#include <sunlagrange/version.hpp>

#include "shared/text.hpp"

namespace sunlagrange::bench {
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

void declare(CLI::App& app, const Option& option) {
  const auto add = [&](auto* value) -> CLI::Option* {
    if constexpr (std::is_same_v<decltype(value), bool*>)
      return app.add_flag(option.name, *value, option.help);
    else
      return app.add_option(option.name, *value, option.help);
  };
  CLI::Option& declared = *std::visit(add, option.target);
  const auto demands = [&](unsigned rule) { return (option.rules & rule) != 0; };
  if (demands(rule::required)) declared.required();
  if (demands(rule::show_default)) declared.capture_default_str();
  if (demands(rule::finite))
    declared.check(number_that([](double x) { return std::isfinite(x); }, "a finite number", "FINITE"));
  if (demands(rule::positive))
    declared.check(number_that([](double x) { return x > 0.0; }, "a positive number", "POSITIVE"));
  if (demands(rule::not_negative))
    declared.check(number_that([](double x) { return x >= 0.0; }, "a number from 0 on", "NONNEGATIVE"));
  if (!option.choices.empty()) declared.check(CLI::IsMember(option.choices));
}

/// "--csv=": the parser would take the next word as the value. Null: there is none.
const char* option_without_value(int argc, const char* const* argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word.rfind("--", 0) == 0 && word.find('=') == word.size() - 1) return argv[k];
  }
  return nullptr;
}

}  // namespace

std::string version() {
  return std::to_string(SUNLAGRANGE_VERSION_MAJOR) + "." + std::to_string(SUNLAGRANGE_VERSION_MINOR) + "." +
         std::to_string(SUNLAGRANGE_VERSION_PATCH);
}

std::vector<Option> operator+(std::vector<Option> first, const std::vector<Option>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Option wide_option(bool& wide) {
  return {"--wide", &wide, "all columns of a table, also where the terminal is too narrow for them"};
}

int run_command_line(std::string summary, const std::vector<Command>& commands, int argc, const char* const* argv) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.emplace_back(command.name);
  CLI::App program(summary + ": " + joined(names));
  program.set_version_flag("--version", "sunlagrange-bench " + version());
  program.require_subcommand(1);
  if (const char* option = option_without_value(argc, argv)) {
    std::cerr << "sunlagrange-bench: " << option << " has no value; write it behind the =, or leave the option out\n";
    return exit_wrong_usage;
  }
  int exit_code = exit_finished;
  for (const Command& command : commands) {
    CLI::App* app = program.add_subcommand(command.name, command.summary);
    for (const Option& option : command.options) declare(*app, option);
    app->footer(command.examples);
    app->callback([&command, &exit_code] { exit_code = command.run(); });
  }
  try {
    program.parse(argc, argv);
    return exit_code;
  } catch (const CLI::ParseError& error) {
    return program.exit(error, std::cout, std::cerr) == 0 ? exit_finished : exit_wrong_usage;
  }
}

}  // namespace sunlagrange::bench
