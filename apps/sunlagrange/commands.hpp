// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "shared/command.hpp"

/// The commands of sunlagrange: each has one entry point and lives in the folder of its name.
namespace sunlagrange::program {

Command list_command();
Command run_command();
Command run_report_command();  ///< `report`, in the folder of `run`
Command modes_command();
Command equilibrium_command();
Command kinematics_command();
Command workspace_command();
Command sensitivities_command();
Command identify_command();
Command study_command();
Command export_command();
Command import_command();  ///< Only in a build with readers of robot descriptions.

/// Returns all of them under the headings of the help text.
std::vector<CommandGroup> sunlagrange_commands();

}  // namespace sunlagrange::program
