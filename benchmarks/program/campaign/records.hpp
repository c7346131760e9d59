#pragma once

#include "campaign/case.hpp"
#include "shared/json.hpp"

/// Cases as lines of a file.
namespace sunlagrange::program {

Json as_json(const CampaignPlan& plan);
Json as_json(const CampaignRun& run);
Json as_json(const CampaignCase& result);

/// Of a line. @throws Error if it lacks something
CampaignCase campaign_case_of(const Json& line);

}  // namespace sunlagrange::program
