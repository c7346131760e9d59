#pragma once

#include "shared/command.hpp"

/// The subcommands of sunlagrange-bench: each in the folder of its name, with one entry point.
namespace sunlagrange::bench {

Command list_command();
Command run_command();
Command compare_command();
Command figures_command();
Command validate_command();
Command gain_scan_command();
Command stability_command();
Command certify_command();
Command adaptive_vs_fixed_command();
Command campaign_command();
Command study_command();
Command report_command();
Command export_command();
Command import_command();
Command modes_command();
Command equilibrium_command();
Command kinematics_command();
Command workspace_command();
Command sensitivities_command();
Command identify_command();
Command work_precision_command();
Command scale_command();

}  // namespace sunlagrange::bench
