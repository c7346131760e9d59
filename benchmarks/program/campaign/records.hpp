// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "campaign/case.hpp"
#include "shared/json.hpp"

/// Cases of the campaign as lines of a file.
namespace sunlagrange::program {

Json as_json(const CampaignPlan& plan);

/// Reads a case from a line. @throws Error if the line is incomplete
CampaignCase campaign_case_of(const Json& line);

}  // namespace sunlagrange::program
