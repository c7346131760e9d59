// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "shared/command.hpp"

/// The commands of sunlagrange-bench: each has one entry point and lives in the folder of its name.
namespace sunlagrange::program {

Command compare_command();
Command work_precision_command();
Command stability_command();
Command adaptive_vs_fixed_command();
Command gain_scan_command();
Command certify_command();
Command validate_command();
Command campaign_command();
Command scale_command();
Command figures_command();
Command report_command();

}  // namespace sunlagrange::program
