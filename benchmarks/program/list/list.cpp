#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "list/tables.hpp"
#include "mechanisms/mechanism.hpp"

namespace sunlagrange::bench {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

Rows all_formulations() {
  Rows rows;
  for (const FormulationInfo& e : formulations()) rows.emplace_back(e.name, e.summary);
  return rows;
}

Rows all_integrators() {
  Rows rows;
  for (const IntegratorInfo& e : integrators()) rows.emplace_back(e.name, e.summary);
  return rows;
}

Rows all_linear_solvers() {
  Rows rows;
  for (const LinearSolverInfo& e : linear_solvers()) {
    rows.emplace_back(e.name, std::string(e.summary) + (e.available ? "" : " (not built in)"));
  }
  return rows;
}

Rows all_mechanisms() {
  Rows rows;
  for (const mechanisms::MechanismEntry& e : mechanisms::mechanism_registry()) {
    rows.emplace_back(e.name, std::string(e.summary) +
                                  (e.sized() ? " (--size N, default " + std::to_string(e.default_size) + ")" : ""));
  }
  return rows;
}

Rows all_elements() {
  Rows rows;
  for (const ElementInfo& e : elements()) rows.emplace_back(e.name, e.summary);
  return rows;
}

struct Section {
  std::string name;
  Rows (*rows)();
  void (*markdown)(std::ostream&) = nullptr;  ///< null: has no table in README.md or examples/README.md
};

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {{"formulations", all_formulations, print_formulation_table},
                                           {"integrators", all_integrators},
                                           {"linear-solvers", all_linear_solvers},
                                           {"mechanisms", all_mechanisms, print_mechanism_table},
                                           {"elements", all_elements}};
  return all;
}

void print(const Section& section) {
  std::cout << section.name << "\n";
  for (const auto& [name, summary] : section.rows()) {
    std::cout << "  " << std::left << std::setw(27) << name << " " << summary << "\n";
  }
}

}  // namespace

void add_list(CLI::App& program, int&) {
  CLI::App* command = program.add_subcommand("list", "names that the other commands accept, one line each");
  const auto what = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const Section& section : sections()) names.push_back(section.name);
  command->add_option("what", *what, "one section; default: all")->check(CLI::IsMember(names));
  const auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "the table of README.md or examples/README.md, where the section has one");
  command->callback([what, markdown] {
    for (const Section& section : sections()) {
      if (!what->empty() && *what != section.name) continue;
      if (!*markdown)
        print(section);
      else if (section.markdown != nullptr)
        section.markdown(std::cout);
    }
  });
}

}  // namespace sunlagrange::bench
