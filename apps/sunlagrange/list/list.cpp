// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "list/tables.hpp"
#include "mechanisms/mechanism.hpp"
#include "shared/table.hpp"

namespace sunlagrange::program {
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

Rows elements_by_name() {
  Rows rows;
  for (const ElementInfo& e : elements()) rows.emplace_back(e.name, e.summary);
  return rows;
}

Rows all_elements() {
  Rows rows;
  for (const ElementInfo& e : elements()) {
    std::vector<std::string> blocks;
    for (const BlockKind kind : e.blocks) blocks.emplace_back(to_string(kind));
    rows.emplace_back(e.name, std::string(e.summary) + "; {" + (blocks.empty() ? "any" : joined(blocks)) + "}; <" +
                                  std::string(e.header) + ">");
    for (const ParameterInfo& parameter : e.parameters) rows.emplace_back("", text(parameter));
  }
  return rows;
}

struct Section {
  std::string name;
  Rows (*rows)();
  void (*markdown)(std::ostream&) =
      nullptr;                ///< writes the table of README.md or examples/README.md; null: there is none
  Rows (*brief)() = nullptr;  ///< rows if other sections are listed as well; null: the same rows
};

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {{"formulations", all_formulations, print_formulation_table},
                                           {"integrators", all_integrators},
                                           {"linear-solvers", all_linear_solvers},
                                           {"mechanisms", all_mechanisms, print_mechanism_table},
                                           {"elements", all_elements, nullptr, elements_by_name}};
  return all;
}

void print(const Section& section, bool alone, std::size_t width) {
  const bool brief = !alone && section.brief != nullptr;
  std::cout << styled(section.name, Style::bold)
            << (brief ? " (with blocks, header, parameters: list " + section.name + ")" : "") << "\n";
  Table table({{"", Align::left, 0, 29}, {"", Align::left}}, width, 1);
  std::vector<Table::Row> rows;
  for (const auto& [name, summary] : brief ? section.brief() : section.rows()) rows.push_back({"  " + name, summary});
  std::cout << table.text(rows);
}

int list(const std::string& what, bool markdown) {
  for (const Section& section : sections()) {
    if (!what.empty() && what != section.name) continue;
    if (!markdown)
      print(section, !what.empty(), output_width(false));
    else if (section.markdown != nullptr)
      section.markdown(std::cout);
  }
  return exit_finished;
}

}  // namespace

Command list_command() {
  const auto what = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const Section& section : sections()) names.push_back(section.name);
  const auto markdown = std::make_shared<bool>(false);
  return {"list",
          "lists the names that the other commands accept",
          {{"what", what.get(), "one section; default: all", 0, names},
           {"--markdown", markdown.get(), "the table of README.md or examples/README.md, if the section has one"}},
          [what, markdown] { return list(*what, *markdown); },
          "\nExamples:\n"
          "  list mechanisms\n"
          "  list elements          with the blocks each acts on, its header and its parameters"};
}

}  // namespace sunlagrange::program
