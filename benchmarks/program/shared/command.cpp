#include "shared/command.hpp"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <type_traits>

#include <CLI/CLI.hpp>

namespace sunlagrange::bench {
namespace {

CLI::Validator finite_number() {
  return {[](std::string& typed) {
            char* end = nullptr;
            const double value = std::strtod(typed.c_str(), &end);
            const bool good = end != typed.c_str() && *end == '\0' && std::isfinite(value);
            return good ? std::string() : typed + " is not a finite number";
          },
          "FINITE"};
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
  if (demands(rule::positive) && demands(rule::finite))
    declared.check(CLI::PositiveNumber & finite_number());
  else if (demands(rule::finite))
    declared.check(finite_number());
  else if (demands(rule::positive))
    declared.check(CLI::PositiveNumber);
  if (demands(rule::not_negative)) declared.check(CLI::NonNegativeNumber);
  if (!option.choices.empty()) declared.check(CLI::IsMember(option.choices));
}

}  // namespace

std::vector<Option> operator+(std::vector<Option> first, const std::vector<Option>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Option wide_option(bool& wide) {
  return {"--wide", &wide, "all columns of a table, also where the terminal is too narrow for them"};
}

int run_command_line(std::string summary, const std::vector<Command>& commands, int argc, const char* const* argv) {
  for (const Command& command : commands)
    summary += (&command == &commands.front() ? ": " : ", ") + std::string(command.name);
  CLI::App program(summary);
  program.require_subcommand(1);
  int exit_code = exit_finished;
  for (const Command& command : commands) {
    CLI::App* app = program.add_subcommand(command.name, command.summary);
    for (const Option& option : command.options) declare(*app, option);
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
