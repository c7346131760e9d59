// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/records.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange::program {
namespace {

double number_of(const Json& value, double otherwise = Report::none) {
  return value.is_null() ? otherwise : value.get<double>();
}

CampaignRun run_of(const Json& json) {
  CampaignRun run;
  json.at("formulation").get_to(run.formulation);
  json.at("integrator").get_to(run.integrator);
  json.at("used_formulation").get_to(run.used_formulation);
  json.at("rtol").get_to(run.rtol);
  json.at("outcome").get_to(run.outcome);
  json.at("message").get_to(run.message);
  json.at("doubts").get_to(run.doubts);
  run.error = number_of(json.at("error"));
  run.amplification = number_of(json.at("amplification"), HUGE_VAL);
  json.at("smallest_singular_value").get_to(run.smallest_singular_value);
  run.halving = number_of(json.at("halving"));
  json.at("steps").get_to(run.steps);
  return run;
}

}  // namespace

Json as_json(const CampaignPlan& plan) {
  return {{"campaign", 1},       {"seed", plan.seed},          {"set", plan.set}, {"formulations", plan.formulations},
          {"rtols", plan.rtols}, {"max_steps", plan.max_steps}};
}

CampaignCase campaign_case_of(const Json& json) try {
  CampaignCase result;
  json.at("seed").get_to(result.seed);
  json.at("features").get_to(result.features);
  json.at("kind").get_to(result.kind);
  json.at("mass_ratio").get_to(result.mass_ratio);
  json.at("references").get_to(result.references);
  result.gap = number_of(json.at("gap"));
  json.at("set_aside").get_to(result.set_aside);
  for (const Json& run : json.at("runs")) result.runs.push_back(run_of(run));
  return result;
} catch (const nlohmann::json::exception& error) {
  throw Error("--resume: a case is not complete, " + json.dump().substr(0, 60) + " (" + error.what() + ")");
}

}  // namespace sunlagrange::program
