// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

namespace sunlagrange::program {

std::vector<CommandGroup> sunlagrange_commands() {
  std::vector<CommandGroup> groups = {{"Simulate", {run_command(), run_report_command(), study_command()}},
                                      {"Analyse",
                                       {modes_command(), equilibrium_command(), kinematics_command(),
                                        workspace_command(), sensitivities_command(), identify_command()}},
                                      {"Model files", {export_command()}},
                                      {"Names", {list_command()}}};
#ifdef SUNLAGRANGE_PROGRAM_WITH_IMPORT
  groups[2].commands.push_back(import_command());
#endif
  return groups;
}

}  // namespace sunlagrange::program
